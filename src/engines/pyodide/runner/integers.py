"""Integers that JavaScript, and so a client, would round."""

import math
import sys

SAFE_INTEGER = 2**53 - 1
MAX_DIGITS = 100_000  # the time that str() of an integer takes grows faster


def digits(value):
    """The decimal digits of an integer, as long as they are not too many."""
    count = int((value.bit_length() - 1) * math.log10(2)) + 1
    if count > MAX_DIGITS:
        return f"<integer of about {count:,} digits>"
    limit = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(0)
        return str(value)
    finally:
        sys.set_int_max_str_digits(limit)
