"""The names that are nearest to a name, by the same key of each."""


def nearest(name, names, *, key, most, cutoff=0.6):
    import difflib  # code that makes no mistake does not pay for it

    by_key = {}
    for one in names:
        by_key.setdefault(key(one), one)
    return [by_key[each] for each in difflib.get_close_matches(key(name), by_key, n=most, cutoff=cutoff)]
