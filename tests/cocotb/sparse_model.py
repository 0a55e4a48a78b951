"""One pass of the sparse core in plain integers, and the order in which it takes a matrix, as docs/sparse_rtl.md defines
them. A word of a vector is a signed int; a scalar is its word beside its Format, as in cg_model.py."""

from cg_model import Format, add, convert, divide, multiply


def shifted(x, shift, down):
    """x 2^-shift on the integers: rounded down, or to the nearest with halves up."""
    if shift <= 0:
        return x << -shift
    return x >> shift if down else (x + (1 << (shift - 1))) >> shift


class Words:
    """Words of `width` bits, of which `fraction` are after the point."""

    def __init__(self, width, fraction, down):
        self.width, self.fraction, self.down = width, fraction, down

    def fit(self, x):
        """The word that stays of x, and whether it is another number."""
        word = (x + (1 << (self.width - 1))) % (1 << self.width) - (1 << (self.width - 1))
        return word, word != x


class SparseCore:
    """The core's parameters, by the names that rtl/sp_core.core gives them, and its function."""

    def __init__(self, parameters):
        p = self.parameters = parameters
        self.vector = {v: Words(p[v.upper() + "W"], p[v.upper() + "F"], p.get(v.upper() + "Down", 0)) for v in "urpq"}
        self.operand = Format(p["OperandExpW"], p["OperandFracW"], p.get("OperandRne", 0))
        self.scalar = Format(p["ScalarExpW"], p["ScalarFracW"], p.get("ScalarRne", 0))

    def product(self, operand, word, of, to):
        """operand times a word of the vector `of`, rounded to the grid of `to`."""
        kind, sign, significand, exponent = self.operand.split(operand)
        assert kind in ("zero", "finite")
        shift = self.vector[of].fraction - self.vector[to].fraction - exponent
        return shifted(-significand * word if sign else significand * word, shift, self.vector[to].down)

    def run_pass(self, state, rows):
        """u', r', p', q' and the scalars in place of those in `state`; returns how the pass ends a run (0: it does not).

        rows: for each row a dict of columns and coefficients' words."""
        p, s, vector = self.parameters, self.scalar, self.vector
        alpha, beta = (convert(s, state[k], self.operand) for k in ("alpha", "beta"))
        over = False

        def fitted(of, numbers):
            nonlocal over
            pairs = [vector[of].fit(x) for x in numbers]
            over = over or any(lost for _, lost in pairs)
            return [word for word, _ in pairs]

        u = fitted("u", [a + self.product(alpha, b, "p", "u") for a, b in zip(state["u"], state["p"])])
        r = fitted("r", [a - self.product_of_q(alpha, b) for a, b in zip(state["r"], state["q"])])
        onto_p = vector["r"].fraction - vector["p"].fraction
        new_p = fitted("p", [shifted(a, onto_p, vector["p"].down) + self.product(beta, b, "p", "p")
                             for a, b in zip(r, state["p"])])
        q = fitted("q", [shifted(sum(c * new_p[j] for j, c in row.items()), p["RowShift"], vector["q"].down)
                         for row in rows])
        state.update(u=u, r=r, p=new_p, q=q)

        def total(a, b, of):
            x = sum(i * j for i, j in zip(a, b))
            return s.round(int(x < 0), abs(x), -sum(vector[v].fraction for v in of))

        zero = s.zero(0)
        rho, pq, qq = total(r, r, "rr"), total(new_p, q, "pq"), total(q, q, "qq")
        state.update(rho=zero, pq=zero, qq=zero, alpha=zero, sigma=zero, beta=zero, guard=False)
        if over:
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

    def product_of_q(self, alpha, word):
        """r' = r - rnd(alpha q): the product is rounded, then subtracted."""
        return self.product(alpha, word, "q", "r")


def port_of(lane):
    """Which of a bank's two ports a lane reads at."""
    return lane.bit_count() % 2


def beats_of(rows, lanes, delta):
    """(position of each row, beats): a beat is ([(coefficient, address, bank) of each lane], whether it ends a slice).

    Rows by their length, `lanes` of them a slice; a port is asked once a beat at most, by whom comes first; the last beat of a slice brings the diagonals, each lane's own bank at
    the slice's address. Places that nothing is left for read a port that is free."""
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    position = [0] * len(rows)
    for k, i in enumerate(order):
        position[i] = k
    beats = []
    for slice_at in range(-(-len(rows) // lanes)):
        own = order[slice_at * lanes:(slice_at + 1) * lanes]
        left = [[(c, position[j]) for j, c in rows[i].items() if j != i] for i in own]
        left += [[] for _ in range(lanes - len(own))]
        while any(left):
            asked, beat = set(), []
            for l, lane in enumerate(left):
                at = next((k for k, (_, j) in enumerate(lane) if (j % lanes, port_of(l)) not in asked), None)
                entry = lane.pop(at) if at is not None else None
                beat.append(entry)
                if entry is not None:
                    asked.add((entry[1] % lanes, port_of(l)))
            for l, entry in enumerate(beat):
                if entry is None:
                    bank = next(b for b in range(lanes) if (b, port_of(l)) not in asked)
                    asked.add((bank, port_of(l)))
                    beat[l] = (0, slice_at * lanes + bank)
            beats.append(([(c, j // lanes - delta * slice_at, j % lanes) for c, j in beat], False))
        ends = [(rows[own[k]].get(own[k], 0) if k < len(own) else 0, slice_at * (1 - delta), k) for k in range(lanes)]
        beats.append((ends, True))
    return position, beats


def packed(beat, parameters):
    """A beat of s_axis_row as an integer."""
    lanes, coefficient_bits, address_bits = (parameters[k] for k in ("Lanes", "CoefW", "AddressW"))
    bank_bits = lanes.bit_length() - 1
    entry_bits = coefficient_bits + address_bits + bank_bits
    entries, ends = beat
    bits = int(ends) << (lanes * entry_bits)
    for lane, (coefficient, address, bank) in enumerate(entries):
        word = coefficient % (1 << coefficient_bits) << (address_bits + bank_bits)
        word |= (address % (1 << address_bits)) << bank_bits | bank
        bits |= word << (lane * entry_bits)
    return bits
