/**
 * Values of real packages by name: Python expressions, and the exact JSON text
 * that they become.
 *
 * @module
 */
export const REAL_VALUES = {
  numpy: String.raw`
np.array([[1, 2], [3, 4]]) → [[1,2],[3,4]]
np.array([]) → []
np.array([[1, 2], [3, 2**60]], "i8") → [["1","2"],["3","1152921504606846976"]]
[np.array([2**64 - 1, 0], "u8"), np.array([[], []], "i8")] → [["18446744073709551615","0"],[[],[]]]
np.zeros((2, 0)) → [[],[]]
[np.array(5), np.int64(2**60), np.uint8(1), np.bool_(True)] → [5,"1152921504606846976",1,true]
[np.float32(0.5), np.float64("nan"), np.longdouble(1.5)] → [0.5,"NaN",1.5]
[np.complex64(1+2j), np.clongdouble(1)] → ["(1+2j)","(1+0j)"]
[np.str_("a"), np.bytes_(b"a")] → ["a","a"]
np.array(["2020-01-02", "NaT"], "M8[ns]") → ["2020-01-02T00:00:00.000000000",null]
np.array("2020-01-02", "M8[ns]") → "2020-01-02T00:00:00.000000000"
np.timedelta64(90, "s") → "90 seconds"
np.array([1, None, "a", [2]], object) → [1,null,"a",[2]]
np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]) → [[1,2.5]]
np.matrix([[1, 2]]) → [[1,2]]
np.ma.array([1, 2], mask=[False, True]) → [1,null]
{np.int64(1): np.arange(2)} → {"1":[0,1]}`,
  pandas: String.raw`
[pd.DataFrame(), pd.DataFrame({"a": []}), pd.DataFrame({1: [1]}).iloc[:, :0]] → [[],[],[]]
pd.DataFrame({1: []}) → {"columns":[1],"index":[],"data":[]}
pd.DataFrame(index=["x", "y"]) → [{"index":"x"},{"index":"y"}]
pd.DataFrame({"a": [1]}, index=pd.Index([2], name="a")) → {"columns":["a"],"index":[2],"data":[[1]]}
pd.DataFrame({"index": [1]}, index=["x"]) → {"columns":["index"],"index":["x"],"data":[[1]]}
pd.DataFrame({"a": [1]}, index=pd.MultiIndex.from_tuples([("x", 2)])) → [{"level_0":"x","level_1":2,"a":1}]
pd.DataFrame({"a": [1, None]}, index=pd.to_datetime(["2020-01-02", None])) → [{"index":"2020-01-02T00:00:00","a":1.0},{"index":null,"a":null}]
pd.DataFrame({"a": [np.arange(2), [float("nan")]], "b": [{"x": 1}, float("inf")]}) → [{"a":[0,1],"b":{"x":1}},{"a":["NaN"],"b":"Infinity"}]
pd.DataFrame({"a": pd.array([1, None]), "b": pd.Categorical(["x", None])}) → [{"a":1,"b":"x"},{"a":null,"b":null}]
pd.DataFrame({2**60: [True], 1: [False]}) → {"columns":["1152921504606846976","1"],"index":[0],"data":[[true,false]]}
pd.Series(["a", None, float("nan"), pd.NA, pd.NaT], dtype=object) → ["a",null,null,null,null]
pd.Series([2**60, 1, True, None], dtype=object) → ["1152921504606846976","1",true,null]
pd.Series([1, 2], index=[None, "x"]) → {"null":1,"x":2}
pd.Series([1], index=pd.MultiIndex.from_tuples([("x", 2)])) → [{"level_0":"x","level_1":2,"value":1}]
pd.Series([1], index=pd.Index(["x"], name="n"), name="n") → {"x":1}
pd.Series(pd.to_datetime(["2020-01-02", None], utc=True)) → ["2020-01-02T00:00:00+00:00",null]
pd.DataFrame(0, index=range(1001), columns=[0])[:0] → {"columns":[0],"index":[],"data":[]}
pd.MultiIndex.from_tuples([("x", 2)]) → [["x",2]]
[pd.array([1, None]), pd.interval_range(0, 1), pd.Int64Dtype()] → [[1,null],["(0, 1]"],"Int64"]
[pd.Interval(0, 1), pd.Period("2020-01", "M"), pd.NaT, pd.NA] → ["(0, 1]","2020-01",null,null]
{"a": pd.Series([float("nan")]), "b": float("nan")} → {"a":[null],"b":"NaN"}
(lambda it: (it.__setitem__("a", [it]), it)[1])(pd.Series({"a": None}, dtype=object)) → {"a":["<cycle>"]}`,
  pyarrow: String.raw`
pa.table({"a": [1, None, 2**60], "b": [float("nan"), 1.5, None]}) → [{"a":"1","b":null},{"a":null,"b":1.5},{"a":"1152921504606846976","b":null}]
pa.table([[1], [2]], names=["a", "a"]) → {"columns":["a","a"],"data":[[1,2]]}
[pa.table({"a": ["x"]})["a"], pa.array([1, None]), pa.table({})] → [["x"],[1,null],[]]`,
  polars: String.raw`
pl.DataFrame({"a": [1, None, 2**60], "b": [float("nan"), 1.5, None]}) → [{"a":"1","b":null},{"a":null,"b":1.5},{"a":"1152921504606846976","b":null}]
[pl.Series(["x", None]), pl.DataFrame()] → [["x",null],[]]
table_text(pl.DataFrame({"a": [1]}), 1000).splitlines()[0] → "shape: (1, 1)"`,
  pydantic: String.raw`
model(a=(int, 1), b=(datetime.date, datetime.date(2020, 1, 2)))() → {"a":1,"b":"2020-01-02"}
model(inner=(model(a=(int, 1)), ...))(inner={"a": 2}) → {"inner":{"a":2}}
pydantic.RootModel[list[int]]([1, 2]) → [1,2]
model(a=(pydantic.SecretStr, "s"))(a="s") → {"a":"SecretStr('**********')"}
pydantic.dataclasses.dataclass(dataclasses.make_dataclass("D", [("a", int)]))("1") → {"a":1}
model(a=(int, 1)) → "<class '__main__.Model'>"`,
} as const;
