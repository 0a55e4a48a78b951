// The recurrences that Mantissa knows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mantissa/recurrence/definition.hpp"

namespace mantissa::recurrence {

/// Pipelined CG of FCCM'06, Eq. 4 and 5: what every engine has as its pass (engine.hpp).
inline constexpr Definition kPipelined = define("pipelined", R"(
vector u u
vector r r residual
vector p p
vector q q
scalar rho
scalar pq
scalar qq
scalar alpha
scalar sigma
scalar beta
scalar work
clears alpha sigma beta
solution u + alpha p
needs positive-definite
counts begun
iterate
u = u + alpha p
r = r - alpha q
p = r + beta p
q = A p
rho = r . r
pq = p . q
qq = q . q
finite rho
finite pq
finite qq
exact rho
definite pq
alpha = rho / pq
work = alpha * qq
work = work - pq
sigma = alpha * work
guard sigma
beta = sigma / rho
finite alpha
finite sigma
finite beta
stop rho
)");

/// Textbook CG of Hestenes and Stiefel, 1952; FCCM'06, Eq. 2: the plain recurrence of sessions.
inline constexpr Definition kCg = define("cg", R"(
vector u u
vector r r residual
vector p p
vector q q
scalar rho
scalar pq
scalar alpha
scalar sigma
scalar beta
clears alpha sigma beta
solution u
needs positive-definite
counts begun
start
rho = r . r
iterate
finite rho
exact rho
p = r + beta p
q = A p
pq = p . q
finite pq
definite pq
alpha = rho / pq
finite alpha
u = u + alpha p
r = r - alpha q
sigma = r . r
beta = sigma / rho
rho = sigma
finite rho
finite beta
stop rho
)");

/// Chronopoulos and Gear, "s-step iterative methods for symmetric linear systems", 1989: one wait.
inline constexpr Definition kChronopoulosGear = define("chronopoulos-gear", R"(
vector u u
vector r r residual
vector p p
vector w q
vector s q
scalar rho
scalar delta
scalar before infinity
scalar alpha one
scalar beta
scalar work
solution u
needs positive-definite
start
w = A r
iterate
rho = r . r
delta = r . w
finite rho
finite delta
exact rho
stop rho
beta = rho / before
work = beta * rho
work = work / alpha
delta = delta - work
definite delta
alpha = rho / delta
finite alpha
finite beta
p = r + beta p
s = w + beta s
u = u + alpha p
r = r - alpha s
w = A r
before = rho
)");

/// Ghysels and Vanroose, "Hiding global synchronization latency in the preconditioned Conjugate Gradient algorithm",
/// 2014: one wait, which the product overlaps.
inline constexpr Definition kGhyselsVanroose = define("ghysels-vanroose", R"(
vector u u
vector r r residual
vector p p
vector w q
vector s q
vector z q
vector n q
scalar rho
scalar delta
scalar before infinity
scalar alpha one
scalar beta
scalar work
solution u
needs positive-definite
start
w = A r
iterate
rho = r . r
delta = r . w
n = A w
finite rho
finite delta
exact rho
stop rho
beta = rho / before
work = beta * rho
work = work / alpha
delta = delta - work
definite delta
alpha = rho / delta
finite alpha
finite beta
p = r + beta p
s = w + beta s
u = u + alpha p
r = r - alpha s
z = n + beta z
w = w - alpha z
before = rho
)");

/// Preconditioned CG with the beta of Polak and Ribiere, 1969, which a preconditioner may change under (Golub and Ye,
/// "Inexact preconditioned conjugate gradient method with inner-outer iteration", 1999): as r differs from the last one
/// by alpha q, z.(r - last r) is -alpha z.q.
inline constexpr Definition kFlexible = define("flexible", R"(
vector u u
vector r r residual
vector z r
vector p p
vector q q
scalar square
scalar rho
scalar next
scalar pq
scalar zq
scalar alpha
scalar beta
solution u
needs positive-definite
start
z = M r
square = r . r
rho = r . z
iterate
finite square
exact square
finite rho
unbroken rho
p = z + beta p
q = A p
pq = p . q
finite pq
definite pq
alpha = rho / pq
finite alpha
u = u + alpha p
r = r - alpha q
z = M r
square = r . r
next = r . z
zq = z . q
finite zq
beta = alpha * zq
beta = beta / rho
beta = - beta
finite beta
rho = next
finite square
stop square
)");

/// Van der Vorst, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of nonsymmetric linear
/// systems", 1992. h is the shadow residual, the first one; after the half step r is what the paper calls s.
inline constexpr Definition kBicgstab = define("bicgstab", R"(
vector u u
vector r r residual
vector h r residual
vector p p
vector v q
vector t q
scalar square
scalar rho
scalar before
scalar hv
scalar ts
scalar tt
scalar alpha
scalar omega
scalar beta
scalar work
solution u
needs nothing
start
square = r . r
rho = h . r
iterate
finite square
exact square
finite rho
unbroken rho
p = p - omega v
p = r + beta p
v = A p
hv = h . v
finite hv
unbroken hv
alpha = rho / hv
finite alpha
u = u + alpha p
r = r - alpha v
t = A r
ts = t . r
tt = t . t
finite ts
finite tt
exact tt
omega = ts / tt
finite omega
unbroken omega
before = rho
u = u + omega r
r = r - omega t
square = r . r
rho = h . r
finite square
beta = rho / before
work = alpha / omega
beta = beta * work
finite beta
stop square
)");

/// BiCGStab preconditioned from the right: on A M with u = M of what it finds, so that r is the system's own. Without M
/// it makes bicgstab's steps.
inline constexpr Definition kRightBicgstab = define("right-bicgstab", R"(
vector u u
vector r r residual
vector h r residual
vector p p
vector y p
vector v q
vector t q
scalar square
scalar rho
scalar before
scalar hv
scalar ts
scalar tt
scalar alpha
scalar omega
scalar beta
scalar work
solution u
needs nothing
start
square = r . r
rho = h . r
iterate
finite square
exact square
finite rho
unbroken rho
p = p - omega v
p = r + beta p
y = M p
v = A y
hv = h . v
finite hv
unbroken hv
alpha = rho / hv
finite alpha
u = u + alpha y
r = r - alpha v
y = M r
t = A y
ts = t . r
tt = t . t
finite ts
finite tt
exact tt
omega = ts / tt
finite omega
unbroken omega
before = rho
u = u + omega y
r = r - omega t
square = r . r
rho = h . r
finite square
beta = rho / before
work = alpha / omega
beta = beta * work
finite beta
stop square
)");

/// The Chebyshev iteration for eigenvalues from theta - delta to theta + delta: mantissa/chebyshev.hpp has its formulas
/// and its source. No step waits for a sum.
inline constexpr Definition kChebyshev = define("chebyshev", R"(
vector u u
vector r r residual
vector p p
vector q q
scalar theta given
scalar delta given
scalar unit one
scalar two
scalar share
scalar quarter
scalar alpha
scalar beta
scalar work
scalar square
solution u
needs positive-definite
start
alpha = unit / theta
two = unit + unit
share = unit / two
quarter = share * share
iterate
p = r + beta p
q = A p
u = u + alpha p
r = r - alpha q
beta = delta * alpha
beta = beta * beta
beta = beta * share
share = quarter
work = beta / alpha
work = theta - work
alpha = unit / work
watch 32
square = r . r
finite square
exact square
stop square
)");

/// A recurrence with what a page says of it.
struct Entry {
    const Definition* definition;
    std::string_view title, source;
    std::string_view accuracy; ///< what it attains, and where
    std::string_view runs_on;
};
/// All of them, in the order in which they are shown.
[[nodiscard]] std::span<const Entry> library();
/// Null where there is none of that name.
[[nodiscard]] const Definition* find(std::string_view name);
/// Throws InvalidInput, one line with the names.
[[nodiscard]] const Definition& named(std::string_view name);

} // namespace mantissa::recurrence
