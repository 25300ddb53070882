"""No reader answers a damaged file with anything but deals or a FormatError."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import format_samples as sample
from format_samples import read_bytes
from trickcast.formats import csv_parquet, ddslist, gib, hand2vec, jps, pgx, zrd
from trickcast.formats.format import FormatError

ALL = {
    "zrd": (zrd.FORMAT, sample.zrd),
    "gib": (gib.TEXT, sample.gib),
    "gib-binary": (gib.BINARY, sample.gib_binary),
    "csv": (csv_parquet.CSV, sample.csv),
    "parquet": (csv_parquet.PARQUET, sample.parquet),
    "pgx": (pgx.FORMAT, sample.pgx),
    "dds-list": (ddslist.FORMAT, sample.dds_list),
    "jps": (jps.FORMAT, None),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("damaged")
    return {name: make() if make else sample.jps(folder) for name, (_, make) in ALL.items()}


def reads_or_refuses(form, data: bytes) -> None:
    """Read ``data``; whatever is raised besides FormatError fails the test."""
    try:
        deals = read_bytes(form, data, 2)
    except FormatError as error:
        message = str(error)
        assert message.startswith("sample: ")
        assert "\n" not in message
        assert len(message) < 500
    else:
        assert deals.tricks is None or ((deals.tricks <= 13) | (deals.tricks == 255)).all()


@pytest.mark.filterwarnings("ignore::trickcast.formats.format.FormatWarning")
@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60, deadline=None)
@given(draw=st.data())
def test_damage(data, name, draw):
    form, whole = ALL[name][0], bytearray(data[name])
    for _ in range(draw.draw(st.integers(1, 4))):
        place = draw.draw(st.integers(0, len(whole) - 1))
        length = draw.draw(st.sampled_from((1, 1, 1, 5, 60)))
        whole[place : place + length] = draw.draw(st.binary(max_size=6))
        if not whole:
            break
    reads_or_refuses(form, bytes(whole))


@pytest.mark.filterwarnings("ignore::trickcast.formats.format.FormatWarning")
@pytest.mark.parametrize("name", ALL)
@settings(max_examples=25, deadline=None)
@given(rubbish=st.binary(max_size=300))
def test_rubbish_after_a_good_beginning(data, name, rubbish):
    form = ALL[name][0]
    form.sniff(rubbish)
    hand2vec.FORMAT.sniff(rubbish)
    for kept in (0, 8, 12, 26, 130):
        reads_or_refuses(form, data[name][:kept] + rubbish)
