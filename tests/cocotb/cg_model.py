"""One pass of the core in plain integers, as docs/integration.md defines it.

A number is its word, an int, beside its Format. Every operation forms the exact result and rounds it once.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Format:
    """s<m>e<e>: rounds toward zero, or to nearest-even with rne; subnormal numbers are zeros."""

    e: int
    m: int
    rne: int = 0

    @property
    def width(self):
        return 1 + self.e + self.m

    @property
    def bias(self):
        return (1 << (self.e - 1)) - 1

    @property
    def ones(self):
        return (1 << self.e) - 1

    @property
    def nan(self):
        return (self.ones << self.m) | (1 << (self.m - 1))

    def infinity(self, sign):
        return (sign << (self.e + self.m)) | (self.ones << self.m)

    def zero(self, sign):
        return sign << (self.e + self.m)

    def split(self, word):
        """(kind, sign, significand, exponent): "zero", "finite", "infinite" or "nan"; a finite number is
        (-1)^sign significand 2^exponent."""
        sign = word >> (self.e + self.m)
        exponent = (word >> self.m) & self.ones
        fraction = word & ((1 << self.m) - 1)
        if exponent == 0:
            return "zero", sign, 0, 0
        if exponent == self.ones:
            return ("nan" if fraction else "infinite"), sign, 0, 0
        return "finite", sign, (1 << self.m) | fraction, exponent - self.bias - self.m

    def round(self, sign, significand, exponent):
        """The word of (-1)^sign significand 2^exponent. Below its lowest bit the significand may have a sticky one,
        if it has two bits or more beyond m."""
        if significand == 0:
            return self.zero(sign)
        drop = significand.bit_length() - (self.m + 1)
        if drop <= 0:
            kept = significand << -drop
        else:
            kept = significand >> drop
            rest = significand & ((1 << drop) - 1)
            half = 1 << (drop - 1)
            if self.rne and (rest > half or (rest == half and kept & 1)):
                kept += 1
        exponent += drop
        if kept >> (self.m + 1):  # the carry of rounding up
            kept >>= 1
            exponent += 1
        biased = exponent + self.m + self.bias
        if biased < 1:
            return self.zero(sign)
        if biased >= self.ones:
            if self.rne:
                return self.infinity(sign)
            return (sign << (self.e + self.m)) | ((self.ones - 1) << self.m) | ((1 << self.m) - 1)
        return (sign << (self.e + self.m)) | (biased << self.m) | (kept & ((1 << self.m) - 1))


def convert(a_format, a, out):
    kind, sign, significand, exponent = a_format.split(a)
    if kind == "finite":
        return out.round(sign, significand, exponent)
    return {"zero": out.zero(sign), "infinite": out.infinity(sign), "nan": out.nan}[kind]


def multiply(a_format, a, b_format, b, out):
    ka, sa, ma, xa = a_format.split(a)
    kb, sb, mb, xb = b_format.split(b)
    sign = sa ^ sb
    if "nan" in (ka, kb) or {ka, kb} == {"zero", "infinite"}:
        return out.nan
    if "infinite" in (ka, kb):
        return out.infinity(sign)
    if "zero" in (ka, kb):
        return out.zero(sign)
    return out.round(sign, ma * mb, xa + xb)


def add(a_format, a, b_format, b, out, subtract=False):
    ka, sa, ma, xa = a_format.split(a)
    kb, sb, mb, xb = b_format.split(b)
    sb ^= int(subtract)
    if "nan" in (ka, kb) or (ka == kb == "infinite" and sa != sb):
        return out.nan
    if "infinite" in (ka, kb):
        return out.infinity(sa if ka == "infinite" else sb)
    if ka == kb == "zero":
        return out.zero(sa & sb)
    low = min(xa if ma else xb, xb if mb else xa)
    total = (-1) ** sa * (ma << max(xa - low, 0)) + (-1) ** sb * (mb << max(xb - low, 0))
    return out.round(int(total < 0), abs(total), low)


def divide(f, a, b):
    ka, sa, ma, xa = f.split(a)
    kb, sb, mb, xb = f.split(b)
    sign = sa ^ sb
    if "nan" in (ka, kb) or (ka == kb and ka != "finite"):
        return f.nan
    if ka == "infinite" or kb == "zero":
        return f.infinity(sign)
    if ka == "zero" or kb == "infinite":
        return f.zero(sign)
    extra = f.m + 4
    quotient, rest = divmod(ma << extra, mb)
    return f.round(sign, 2 * quotient + (rest != 0), xa - xb - extra - 1)


@dataclass
class Core:
    """The core's parameters, by the names that the page gives them, and its function."""

    parameters: dict
    f: dict = field(init=False)

    def __post_init__(self):
        p = self.parameters
        names = ("U", "R", "P", "Q", "Coef", "Operand", "Row", "Term", "Sum", "Scalar")
        self.f = {k: Format(p[k + "ExpW"], p[k + "FracW"], p.get(k + "Rne", 0)) for k in names if k + "ExpW" in p}
        self.lanes = p.get("Lanes", 1)

    def row(self, coefficients, neighbours):
        """The sum of nine products, in W."""
        c, p, w = self.f["Coef"], self.f["P"], self.f["Row"]
        t = [multiply(c, a, p, b, w) for a, b in zip(coefficients, neighbours)]

        def plus(x, y):
            return add(w, x, w, y, w)

        if self.parameters.get("Order", 0) == 1:
            return plus(plus(plus(plus(t[0], t[1]), plus(t[2], t[3])), plus(plus(t[4], t[5]), plus(t[6], t[7]))), t[8])
        total = t[0]
        for x in t[1:]:
            total = plus(total, x)
        return total

    def dot(self, a_format, a, b_format, b):
        """The dot product in S, and whether it left the window."""
        s = self.f["Scalar"]
        if self.parameters.get("Fixed", 0):
            lsb, msb = self.parameters["Lsb"], self.parameters["Msb"]
            total = 0
            for x, y in zip(a, b):
                if self.parameters.get("Exact", 0):
                    ka, sa, ma, xa = a_format.split(x)
                    kb, sb, mb, xb = b_format.split(y)
                    kinds, sign, significand, exponent = (ka, kb), sa ^ sb, ma * mb, xa + xb
                else:
                    d = self.f["Term"]
                    kind, sign, significand, exponent = d.split(multiply(a_format, x, b_format, y, d))
                    kinds = (kind,)
                if "nan" in kinds or "infinite" in kinds:
                    return None, True
                shift = exponent - lsb
                term = significand << shift if shift >= 0 else significand >> -shift
                if term >> (msb - lsb):
                    return None, True
                total += -term if sign else term
            if not -(1 << (msb - lsb)) <= total < 1 << (msb - lsb):
                return None, True
            return s.round(int(total < 0), abs(total), lsb), False
        d, acc = self.f["Term"], self.f["Sum"]
        n = self.parameters["Depth"] * self.lanes
        sums = [acc.zero(0)] * n
        for i, (x, y) in enumerate(zip(a, b)):
            sums[i % n] = add(acc, sums[i % n], d, multiply(a_format, x, b_format, y, d), acc)
        while n > 1:
            n //= 2
            sums = [add(acc, sums[j], acc, sums[j + n], acc) for j in range(n)]
        return convert(acc, sums[0], s), False

    def run_pass(self, state, bands, row_length, stencil):
        """u', r', p', q' and the scalars in place of those in `state`; returns how the pass ends a run (0: it does not).

        bands: nine lists of words, or nine words of a constant stencil."""
        f, s = self.f, self.f["Scalar"]
        n = len(state["u"])
        alpha = convert(s, state["alpha"], f["Operand"])
        beta = convert(s, state["beta"], f["Operand"])

        def step(v, scalar, x, vf, xf, out, subtract=False):
            return [add(vf, a, out, multiply(f["Operand"], scalar, xf, b, out), out, subtract) for a, b in zip(v, x)]

        u = step(state["u"], alpha, state["p"], f["U"], f["P"], f["U"])
        r = step(state["r"], alpha, state["q"], f["R"], f["Q"], f["R"], subtract=True)
        p = step(r, beta, state["p"], f["R"], f["P"], f["P"])
        offsets = [row_length * dy + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        q = []
        for i in range(n):
            column = i % row_length
            if stencil and (i < row_length or i >= n - row_length or column in (0, row_length - 1)):
                q.append(f["Q"].zero(0))
                continue
            neighbours = [p[i + o] if 0 <= i + o < n else f["P"].zero(0) for o in offsets]
            q.append(convert(f["Row"], self.row([b if stencil else b[i] for b in bands], neighbours), f["Q"]))
        state.update(u=u, r=r, p=p, q=q)

        rho, out_rr = self.dot(f["R"], r, f["R"], r)
        pq, out_pq = self.dot(f["P"], p, f["Q"], q)
        qq, out_qq = self.dot(f["Q"], q, f["Q"], q)
        zero = s.zero(0)
        state.update(alpha=zero, sigma=zero, beta=zero, guard=False)
        if out_rr or out_pq or out_qq:
            state.update(rho=zero, pq=zero, qq=zero)
            return 5
        state.update(rho=rho, pq=pq, qq=qq)
        if any(s.split(x)[0] in ("nan", "infinite") for x in (rho, pq, qq)):
            return 4
        if s.split(rho)[0] == "zero":
            return 2
        if s.split(pq)[0] == "zero" or s.split(pq)[1]:
            return 3
        alpha = divide(s, rho, pq)
        sigma = multiply(s, alpha, s, add(s, multiply(s, alpha, s, qq, s), s, pq, s, subtract=True), s)
        guard = s.split(sigma)[0] != "nan" and s.split(sigma)[1] == 1
        if guard:
            sigma = zero
        beta = divide(s, sigma, rho)
        if any(s.split(x)[0] in ("nan", "infinite") for x in (alpha, sigma, beta)):
            return 4
        state.update(alpha=alpha, sigma=sigma, beta=beta, guard=guard)
        return 0
