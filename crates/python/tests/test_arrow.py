"""Tables by the Arrow C data interface: pandas, polars and pyarrow take them without copies."""

import ftlkit
import pandas
import polars
import pyarrow
import pytest

from conftest import SMALL


@pytest.fixture(scope="module")
def table():
    return ftlkit.compare(**SMALL).table


def test_columns_have_types_units_and_nulls(table):
    arrow = pyarrow.table(table)
    assert arrow.num_rows == len(table) == 2
    assert arrow.schema.field("response_ns.max").type == pyarrow.int64()
    assert arrow.schema.field("waf_pages_per_host_page").type == pyarrow.float64()
    assert arrow.schema.field("name").type == pyarrow.string()
    assert arrow.schema.field("real_time").type == pyarrow.bool_()
    # Too few samples for this percentile: not measured.
    assert arrow["response_ns.p99.9999"].null_count == 2
    assert arrow.column_names == table.column_names
    assert arrow.to_pylist() == table.rows()
    assert table["name"] == ["page-level", "lazy-rtgc"]
    with pytest.raises(KeyError, match="did you mean `response_ns.max`"):
        table["response_ns.mx"]


def test_the_memory_is_the_same(table):
    def address(name):
        # Every export is of the same buffers.
        return [chunk.buffers()[-1].address for chunk in pyarrow.table(table)[name].chunks]

    assert address("response_ns.max") == address("response_ns.max")
    series = polars.DataFrame(table)["response_ns.max"]
    assert [series.to_arrow().buffers()[-1].address] == address("response_ns.max")


def test_others_read_it(table):
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["response_ns.max"].tolist() == table["response_ns.max"]
    assert table.to_polars()["name"].to_list() == ["page-level", "lazy-rtgc"]
    assert table.to_arrow().equals(pyarrow.table(table))
    assert pyarrow.schema(table).names == table.column_names


def test_a_table_in_a_notebook(table):
    html = table._repr_html_()
    assert html.count("<tr>") == 3 and "2 rows" in html
    assert repr(table).startswith("<ftlkit.Table of 2 rows")


def test_it_outlives_its_run():
    arrow = pyarrow.table(ftlkit.compare(**SMALL).table)
    assert arrow["name"].to_pylist() == ["page-level", "lazy-rtgc"]
