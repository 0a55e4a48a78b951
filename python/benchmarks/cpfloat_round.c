// CPFloat as rounding.py calls it: a shared library over its headers, built outside this repository.
//   cc -O3 -march=native -std=gnu99 -fopenmp -w -shared -fPIC -I CPFLOAT/src cpfloat_round.c -o libcpfloat_round.so -lm
// s17e8 with subnormal numbers, to nearest even: precision counts the hidden bit.
#include "cpfloat_binary64.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static optstruct *s17e8(void) {
    optstruct *f = init_optstruct();
    strcpy(f->format, "custom");
    f->precision = 18;
    f->emin = -126;
    f->emax = 127;
    f->explim = CPFLOAT_EXPRANGE_TARG;
    f->infinity = CPFLOAT_INF_USE;
    f->subnormal = CPFLOAT_SUBN_USE;
    f->round = CPFLOAT_RND_NE;
    f->saturation = CPFLOAT_SAT_NO;
    f->flip = CPFLOAT_SOFTERR_NO;
    f->p = 0;
    if (cpfloat_validate_optstruct(f) != 0) abort();
    return f;
}

/// `threads` is OpenMP's number for this call; CPFloat's own loop uses them.
void round_s17e8(double *out, const double *in, size_t n, int threads) {
    static optstruct *format = NULL;
    if (format == NULL) format = s17e8();
    omp_set_num_threads(threads);
    cpfloat(out, in, n, format);
}
