#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "guess.hpp"

namespace mantissa::tuning {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kWholePool = 6000; // spaces of at most so many points are looked at whole
constexpr std::size_t kSampled = 1500;   // points of a larger space looked at for a batch
constexpr std::size_t kAround = 6;       // of the best points, whose neighbours are looked at
constexpr std::size_t kIdleBatches = 40; // without gain: the end
constexpr double kGain = 0.002;
constexpr double kHope = 1;         // sigmas that a point is given the benefit of
constexpr double kEnough = 1.15;    // so much dearer than the best, at its hoped best: not worth a solve
constexpr double kClip = 1.3;       // what is so much dearer than the best is hopeless, however much dearer
constexpr std::size_t kHalving = 3; // one in so many of a rung goes on to the next
constexpr double kPenalty = 0.15;   // a measurement that was cut off is taken to be so much longer

/// Even numbers in [0, 1) for each axis (a lattice of generalised golden ratios, moved by the seed).
class Spread {
public:
    Spread(std::size_t axes, std::uint64_t seed) : step_(axes), at_(axes) {
        double root = 2;
        for (int i = 0; i < 60; ++i) root = std::pow(1 + root, 1 / static_cast<double>(axes + 1));
        std::uint64_t state = seed;
        for (std::size_t k = 0; k < axes; ++k) {
            step_[k] = std::pow(root, -static_cast<double>(k + 1));
            state += 0x9e3779b97f4a7c15U; // SplitMix64
            std::uint64_t z = state;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
            at_[k] = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
        }
    }
    Choice next(const std::vector<std::size_t>& sizes) {
        Choice choice(sizes.size());
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            at_[k] += step_[k];
            at_[k] -= std::floor(at_[k]);
            choice[k] = std::min(sizes[k] - 1, static_cast<std::size_t>(at_[k] * static_cast<double>(sizes[k])));
        }
        return choice;
    }

private:
    std::vector<double> step_, at_;
};

class Searcher {
public:
    Searcher(Contest& contest, const SearchOptions& options)
        : contest_(contest), options_(options), sizes_(contest.sizes()), spread_(sizes_.size(), options.seed),
          guesser_(options.noise) {
        double points = 1;
        for (const std::size_t s : sizes_) points *= static_cast<double>(s);
        whole_ = points <= static_cast<double>(kWholePool);
    }

    SearchResult run() {
        begin();
        std::size_t idle = 0;
        while (result_.end.empty()) {
            if (result_.tried.size() >= options_.most) result_.end = "as many points as asked for";
            else if (options_.out_of_time && options_.out_of_time()) result_.end = "the budget is used up";
            else {
                const double before = best_;
                const std::vector<Choice> batch = next_batch();
                if (batch.empty()) {
                    result_.end = "no other point could be better by the guess";
                    break;
                }
                measure(batch);
                idle = best_ < before * (1 - kGain) || best_ == kInfinite ? 0 : idle + 1;
                if (idle == kIdleBatches) result_.end = "no gain in the last batches";
            }
        }
        finish();
        return std::move(result_);
    }

private:
    [[nodiscard]] Place place(const Choice& c) const {
        Place p(c.size());
        for (std::size_t k = 0; k < c.size(); ++k)
            p[k] = sizes_[k] > 1 ? static_cast<double>(c[k]) / static_cast<double>(sizes_[k] - 1) : 0;
        return p;
    }
    /// Whether it may be measured; counts what is refused.
    bool possible(const Choice& c) {
        const auto [it, fresh] = possible_.emplace(c, false);
        if (fresh) {
            it->second = contest_.possible(c);
            if (!it->second) ++result_.refused;
        }
        return it->second;
    }
    void measure(const std::vector<Choice>& batch) {
        const std::vector<Measured> got = contest_.measure(batch, contest_.rungs());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const double cost = got[i].reached ? contest_.cost(batch[i], got[i].log) : kInfinite;
            known_.insert(batch[i]);
            best_ = std::min(best_, cost);
            result_.tried.push_back({batch[i], got[i], cost});
        }
    }

    /// An even spread, halved from rung to rung; what is left is measured.
    void begin() {
        const std::size_t wanted =
            std::min(std::max<std::size_t>(4, 2 + sizes_.size()), std::max<std::size_t>(1, options_.most / 3));
        std::size_t first = wanted;
        for (std::size_t r = 0; r < contest_.rungs(); ++r) first *= kHalving;
        std::vector<Choice> list;
        const auto offer = [&](Choice c) {
            c = contest_.canonical(std::move(c));
            if (std::find(list.begin(), list.end(), c) == list.end() && possible(c)) list.push_back(std::move(c));
        };
        Choice middle(sizes_.size());
        for (std::size_t k = 0; k < middle.size(); ++k) middle[k] = sizes_[k] / 2;
        offer(middle);
        for (std::size_t turn = 0; turn < 50 * first && list.size() < first; ++turn) offer(spread_.next(sizes_));
        for (std::size_t rung = 0; rung < contest_.rungs() && list.size() > wanted; ++rung) {
            if (options_.out_of_time && options_.out_of_time()) break;
            const std::vector<Measured> got = contest_.measure(list, rung);
            result_.coarse += list.size();
            std::vector<std::pair<double, std::size_t>> order;
            for (std::size_t i = 0; i < list.size(); ++i)
                order.emplace_back(got[i].reached ? contest_.cost(list[i], got[i].log) : kInfinite, i);
            std::sort(order.begin(), order.end());
            std::vector<Choice> kept;
            for (std::size_t i = 0; i < std::max(wanted, (list.size() + kHalving - 1) / kHalving); ++i)
                kept.push_back(list[order[i].second]);
            list = std::move(kept);
        }
        if (list.size() > wanted) list.resize(wanted);
        for (std::size_t at = 0; at < list.size(); at += options_.batch)
            measure({list.begin() + static_cast<std::ptrdiff_t>(at),
                     list.begin() + static_cast<std::ptrdiff_t>(std::min(at + options_.batch, list.size()))});
        if (list.empty()) result_.end = "no point of the space is possible";
    }

    /// Points to look at: the whole space, or a sample of it and the neighbours of the best.
    std::vector<Choice> pool() {
        std::set<Choice> seen;
        std::vector<Choice> list;
        const auto offer = [&](Choice c) {
            c = contest_.canonical(std::move(c));
            if (!known_.contains(c) && seen.insert(c).second && possible(c)) list.push_back(std::move(c));
        };
        if (whole_) {
            Choice c(sizes_.size(), 0);
            for (bool more = true; more;) {
                offer(c);
                more = false;
                for (std::size_t k = 0; k < c.size() && !more; ++k) {
                    more = ++c[k] < sizes_[k];
                    if (!more) c[k] = 0;
                }
            }
            return list;
        }
        std::vector<const Tried*> order;
        for (const Tried& t : result_.tried) order.push_back(&t);
        std::stable_sort(order.begin(), order.end(), [](const Tried* a, const Tried* b) { return a->cost < b->cost; });
        if (order.size() > kAround) order.resize(kAround);
        for (const Tried* t : order)
            for (std::size_t k = 0; k < sizes_.size(); ++k)
                for (std::size_t v = 0; v < sizes_[k]; ++v) {
                    Choice c = t->choice;
                    c[k] = v;
                    offer(c);
                    for (std::size_t j = k + 1; j < sizes_.size(); ++j) { // two axes, by one value each
                        if (v + 1 != t->choice[k] && v != t->choice[k] + 1) break;
                        for (const int step : {-1, 1}) {
                            if ((step < 0 && t->choice[j] == 0) || (step > 0 && t->choice[j] + 1 == sizes_[j]))
                                continue;
                            Choice two = c;
                            two[j] = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(two[j]) + step);
                            offer(two);
                        }
                    }
                }
        for (std::size_t i = 0; i < kSampled; ++i) offer(spread_.next(sizes_));
        return list;
    }

    struct Hope {
        double cost = 0, log = 0; ///< the guess's mean less a sigma
        std::size_t index = 0;
        bool operator<(const Hope& o) const { return std::pair(cost, index) < std::pair(o.cost, o.index); }
    };

    /// The measurement with which a hopeless point would just be so: cliffs of the true one, where solves fail, would
    /// hide from the guess what is near the best.
    double clipped(const Choice& choice, double log) {
        const double cost = contest_.cost(choice, log), top = kClip * best_;
        if (best_ == kInfinite || cost == kInfinite || cost <= top) return log;
        const double lower = log + std::log(top / cost);
        return contest_.cost(choice, lower) < cost ? lower : log; // (where the cost does not grow with it: as it is)
    }

    std::vector<Choice> next_batch() {
        const std::vector<Choice> list = pool();
        std::vector<Place> places;
        std::vector<double> values;
        for (const Tried& t : result_.tried) {
            places.push_back(place(t.choice));
            values.push_back(clipped(t.choice, t.measured.log + (t.measured.reached ? 0 : kPenalty)));
        }
        std::vector<Choice> batch;
        std::set<std::size_t> taken;
        result_.modelled = list.size();
        while (batch.size() < std::min(options_.batch, options_.most - result_.tried.size())) {
            guesser_.learn(places, values);
            Hope hope{kInfinite, 0, 0};
            std::pair<double, Hope> lowest{kInfinite, hope}; // while nothing is within the limits: what comes nearest
            std::size_t open = 0;
            for (std::size_t i = 0; i < list.size(); ++i) {
                if (taken.contains(i)) continue;
                const double least = contest_.least_log(list[i]);
                if (!(contest_.cost(list[i], least) < best_) && best_ != kInfinite) continue; // could not win
                const Guess g = guesser_.at(place(list[i]));
                // (The count itself scatters, however well its mean is known.)
                const double doubt = std::hypot(g.sigma, options_.noise);
                const double log = std::max(least, g.mean - kHope * doubt);
                const Hope here{contest_.cost(list[i], log), std::max(least, g.mean), i};
                if (here.cost < best_) ++open;
                if (here < hope) hope = here;
                if (log < lowest.first) lowest = {log, here};
            }
            if (batch.empty()) result_.open = open;
            if (hope.cost == kInfinite && best_ == kInfinite && lowest.first < kInfinite) hope = lowest.second;
            else if (hope.cost == kInfinite || (hope.cost >= kEnough * best_ && best_ != kInfinite)) break;
            taken.insert(hope.index);
            batch.push_back(list[hope.index]);
            places.push_back(place(list[hope.index])); // as if it had come out as guessed
            values.push_back(hope.log);
        }
        return batch;
    }

    void finish() {
        if (result_.tried.empty()) return;
        std::erase_if(possible_, [](const auto& p) { return !p.second; });
        result_.modelled = possible_.size() - known_.size();
    }

    Contest& contest_;
    const SearchOptions& options_;
    const std::vector<std::size_t>& sizes_;
    Spread spread_;
    Guesser guesser_;
    bool whole_ = false;
    double best_ = kInfinite;
    std::set<Choice> known_;
    std::map<Choice, bool> possible_;
    SearchResult result_;
};

} // namespace

const Tried* SearchResult::best() const {
    const Tried* best = nullptr;
    for (const Tried& t : tried)
        if (t.cost < kInfinite && (best == nullptr || t.cost < best->cost)) best = &t;
    return best;
}

SearchResult search(Contest& contest, const SearchOptions& options) {
    return Searcher(contest, options).run();
}

} // namespace mantissa::tuning
