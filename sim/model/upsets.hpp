// One bit of a Verilated core's state turned over at a clock. In a model built with MANTISSA_UPSETS
// (sim/src/upsets/member_table.cpp) the file upset_members.hpp names the members of the Verilated class; which of them
// are registers and memories is found by trying: what logic forms from others comes back when the logic is settled,
// state does not. A flip is followed by such a settling, so that all that hangs on the bit sees it before the next
// edge.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <verilated.h>

#include "Vmodel.h"
#include "Vmodel___024root.h"
#include "upset_abi.h"

#ifdef MANTISSA_UPSETS

void Vmodel___024root___eval_settle(Vmodel___024root* top);

/// A member: its words stand one after another, `word_bytes` apart.
struct UpsetMember {
    const char* name;
    void* (*at)(Vmodel___024root&);
    std::uint32_t bits, word_bytes;
    std::uint64_t words;
};

#include "upset_members.hpp"

/// The members that are state, each with the bits that are.
class UpsetPlaces {
public:
    static const UpsetPlaces& of_model() {
        static const UpsetPlaces places;
        return places;
    }
    [[nodiscard]] const std::vector<mantissa_upset_place>& list() const { return list_; }
    void flip(Vmodel& top, const mantissa_upset& upset) const {
        const Place& place = places_.at(upset.place);
        turn(word(*top.rootp, *place.member, upset.word), place.bits.at(upset.bit));
        Vmodel___024root___eval_settle(top.rootp);
    }

private:
    struct Place {
        const UpsetMember* member;
        std::vector<std::uint32_t> bits;
    };

    UpsetPlaces() {
        VerilatedContext context;
        Vmodel top(&context, "tried");
        const auto clocked = [&](bool reset) {
            top.rst_ni = !reset;
            for (int k = 0; k < 32; ++k) {
                top.clk_i = k & 1;
                top.eval();
            }
        };
        clocked(true);
        clocked(false);
        for (const UpsetMember& member : kUpsetMembers) {
            Place place{&member, kept(top, member)};
            if (place.bits.empty()) continue;
            list_.push_back({member.name, static_cast<std::uint32_t>(place.bits.size()), member.words});
            places_.push_back(std::move(place));
        }
    }
    static unsigned char* word(Vmodel___024root& root, const UpsetMember& member, std::uint64_t number) {
        return static_cast<unsigned char*>(member.at(root)) + number * member.word_bytes;
    }
    static void turn(unsigned char* bytes, std::uint32_t bit) {
        bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1U << bit % 8));
    }
    /// Bits of the member's first word that stay as they were set when the logic is settled.
    static std::vector<std::uint32_t> kept(Vmodel& top, const UpsetMember& member) {
        unsigned char* const bytes = word(*top.rootp, member, 0);
        const std::vector<unsigned char> before(bytes, bytes + member.word_bytes);
        for (std::uint32_t bit = 0; bit < member.bits; ++bit) turn(bytes, bit);
        Vmodel___024root___eval_settle(top.rootp);
        std::vector<std::uint32_t> bits;
        for (std::uint32_t bit = 0; bit < member.bits; ++bit)
            if (((bytes[bit / 8] ^ before[bit / 8]) >> bit % 8 & 1) != 0) bits.push_back(bit);
        std::memcpy(bytes, before.data(), before.size());
        Vmodel___024root___eval_settle(top.rootp);
        return bits;
    }

    std::vector<Place> places_;
    std::vector<mantissa_upset_place> list_;
};

/// The upset that an instance waits for.
class Upsets {
public:
    void arm(const mantissa_upset& upset) {
        upset_ = upset;
        armed_ = true;
    }
    void after_edge(Vmodel& top, std::uint64_t clock) {
        if (!armed_ || clock != upset_.clock) return;
        armed_ = false;
        UpsetPlaces::of_model().flip(top, upset_);
    }
    static std::uint64_t places(const mantissa_upset_place** list) {
        *list = UpsetPlaces::of_model().list().data();
        return UpsetPlaces::of_model().list().size();
    }

private:
    mantissa_upset upset_{};
    bool armed_ = false;
};

#else

class Upsets {
public:
    void arm(const mantissa_upset&) {}
    void after_edge(Vmodel&, std::uint64_t) {}
    static std::uint64_t places(const mantissa_upset_place** list) {
        *list = nullptr;
        return 0;
    }
};

#endif
