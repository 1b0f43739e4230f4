from softsym.inference.estimate import estimate


def test_grows_with_rows_and_groups():
    small, large, more = (
        estimate(100, 3, 1, 900, 700),
        estimate(1000, 3, 1, 900, 700),
        estimate(100, 3, 4, 900, 700),
    )
    assert small.seconds < large.seconds
    assert small.seconds < more.seconds
    assert large.bytes > 3 * 8 * 3000**2
    assert str(large).startswith("1,000 rows, about ")
