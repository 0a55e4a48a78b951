#include "assets.hpp"

#include "report_assets.hpp" // generated: paths and hashes

// The assembler reads the files, which is quicker than compiling them as arrays of numbers.
#define MANTISSA_EMBED(name, path)                                                                                     \
    asm(".pushsection .rodata\n" #name "_begin:\n.incbin \"" path "\"\n" #name "_end:\n.byte 0\n.popsection\n");       \
    extern "C" const char name##_begin[], name##_end[];

MANTISSA_EMBED(mantissa_report_style, MANTISSA_STYLE_FILE)
MANTISSA_EMBED(mantissa_report_script, MANTISSA_SCRIPT_FILE)
#ifdef MANTISSA_VEGA_FILE
MANTISSA_EMBED(mantissa_report_vega, MANTISSA_VEGA_FILE)
#endif

namespace mantissa::report {

#define MANTISSA_EMBEDDED(name) std::string_view(name##_begin, static_cast<std::size_t>(name##_end - name##_begin))

const std::string_view kStyle = MANTISSA_EMBEDDED(mantissa_report_style);
const std::string_view kScript = MANTISSA_EMBEDDED(mantissa_report_script);
const std::string_view kStyleHash = MANTISSA_STYLE_HASH, kScriptHash = MANTISSA_SCRIPT_HASH;
#ifdef MANTISSA_VEGA_FILE
const std::string_view kVega = MANTISSA_EMBEDDED(mantissa_report_vega);
const std::string_view kVegaHash = MANTISSA_VEGA_HASH;
#else
const std::string_view kVega, kVegaHash;
#endif

} // namespace mantissa::report
