"""Tails of the normal, chi-squared and Student's t distributions, without SciPy.

They are right to 1e-12, relative to themselves, up to 10,000 degrees of freedom, and to 1e-10 up to a million. Both
incomplete functions come from a series or a continued fraction (Abramowitz and Stegun, 6.5.29, 6.5.31 and 26.5.8) with
a factor in front that is a density. For many degrees of freedom that factor is the difference of large numbers; it is
computed from their small differences instead (`_deviance`, `_stirling_error`).
"""

import math

SMALLEST = 1e-300
LARGEST_SQUARED = 1e8  # beyond it 1 + u^2 is u^2
ENOUGH = 1e-16  # relative change of a sum or a fraction that ends it
MOST_STEPS = 1_000_000
LARGE = 15.0  # from which on Stirling's series is exact to rounding


def normal_above(z: float) -> float:
    """Chance that a standard normal variable is above z.

    >>> round(normal_above(1.959963984540054), 12)
    0.025
    """
    return 0.5 * math.erfc(z / math.sqrt(2.0))


def chi_squared_above(x: float, df: float) -> float:
    """Chance that a chi-squared variable with so many degrees of freedom is above x; it need not be a whole number.

    >>> round(chi_squared_above(3.841458820694124, 1), 12), round(chi_squared_above(11.070497693516351, 5), 12)
    (0.05, 0.05)
    """
    if x <= 0.0 or df <= 0.0:
        return 1.0
    if math.isinf(x):
        return 0.0
    a, half = df / 2.0, x / 2.0
    front = _gamma_density(a, half)
    return 1.0 - front * _gamma_series(a, half) if half < a + 1.0 else front * a * _gamma_fraction(a, half)


def t_outside(t: float, df: float) -> float:
    """Chance that Student's t with so many degrees of freedom is farther from 0 than t.

    >>> round(t_outside(2.7764451051977987, 4), 12)
    0.05
    """
    u, a = abs(t) / math.sqrt(df), df / 2.0
    if math.isinf(u) or u < SMALLEST:
        return 0.0 if u else 1.0
    # I_x(df / 2, 1 / 2) with x = 1 / (1 + u^2), and its complement with y = 1 - x, which is not subtracted.
    log_x = -2.0 * math.log(u) if u > LARGEST_SQUARED else -math.log1p(u * u)
    x, y = math.exp(log_x), u * u / (1.0 + u * u) if u <= 1.0 else 1.0 / (1.0 + (1.0 / u) ** 2)
    front = math.exp(a * log_x - log_beta_half(a)) * math.sqrt(y)
    if x < (a + 1.0) / (a + 2.5):
        return front / a * _beta_fraction(a, 0.5, x)
    return 1.0 - front / 0.5 * _beta_fraction(0.5, a, y)


def log_beta_half(a: float) -> float:
    """Logarithm of the beta function of a and 1/2.

    >>> round(math.exp(log_beta_half(0.5)), 12) == round(math.pi, 12)
    True
    """
    if a < LARGE:
        return math.lgamma(a) + math.lgamma(0.5) - math.lgamma(a + 0.5)
    shift = a * math.log1p(0.5 / a) - 0.5
    return 0.5 * math.log(math.pi / a) + _stirling_error(a) - _stirling_error(a + 0.5) - shift


def digamma(x: float) -> float:
    """Derivative of the logarithm of the gamma function, x > 0.

    >>> round(digamma(1.0), 12)
    -0.577215664902
    """
    below = 0.0
    while x < 12.0:
        below -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    tail = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * 691 / 32760)))))
    return below + math.log(x) - 0.5 / x - tail


def mean_log_chi_squared(df: float) -> float:
    """Mean of the logarithm of a chi-squared variable.

    >>> round(mean_log_chi_squared(2.0), 12) == round(math.log(2.0) - 0.5772156649015329, 12)
    True
    """
    return digamma(df / 2.0) + math.log(2.0)


def _stirling_error(a: float) -> float:
    """Log Gamma(a) less Stirling's formula (a - 1/2) log a - a + log(2 pi) / 2."""
    if a < LARGE:
        return math.lgamma(a) - ((a - 0.5) * math.log(a) - a + 0.5 * math.log(2.0 * math.pi))
    r = 1.0 / (a * a)
    return (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))) / a


def _deviance(a: float, x: float) -> float:
    """A log(a / x) + x - a, which is small where x is near a, without cancellation."""
    ratio = (x - a) / a
    if abs(ratio) > 0.1:
        return a * math.log(a / x) + x - a
    # ratio - log(1 + ratio), by its series
    total, power, k = 0.0, ratio * ratio, 2
    while True:
        step = power / k
        total += step
        if abs(step) < ENOUGH * abs(total) or step == 0.0:
            return a * total
        power *= -ratio
        k += 1


def _gamma_density(a: float, x: float) -> float:
    """x^a exp(-x) / Gamma(a + 1)."""
    if a < 1.0:
        return math.exp(a * math.log(x) - x - math.lgamma(a + 1.0))
    return math.exp(-_deviance(a, x) - _stirling_error(a)) / math.sqrt(2.0 * math.pi * a)


def _gamma_series(a: float, x: float) -> float:
    """1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ..."""
    total = term = 1.0
    for k in range(1, MOST_STEPS):
        term *= x / (a + k)
        total += term
        if term < ENOUGH * total:
            break
    return total


def _gamma_fraction(a: float, x: float) -> float:
    """1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)), by Lentz's method."""
    b = x + 1.0 - a
    c, d = 1.0 / SMALLEST, 1.0 / b
    value = d
    for k in range(1, MOST_STEPS):
        step = -k * (k - a)
        b += 2.0
        d = 1.0 / _not_zero(step * d + b)
        c = _not_zero(b + step / c)
        value *= c * d
        if abs(c * d - 1.0) <= 2.0 * ENOUGH:
            break
    return value


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for k in range(1, MOST_STEPS):
        even = k * (b - k) * x / ((a + 2 * k - 1.0) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1.0))
        d = 1.0 / _not_zero(1.0 + even * d)
        c = _not_zero(1.0 + even / c)
        value *= c * d
        d = 1.0 / _not_zero(1.0 + odd * d)
        c = _not_zero(1.0 + odd / c)
        value *= c * d
        if abs(c * d - 1.0) <= 2.0 * ENOUGH:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > SMALLEST else SMALLEST
