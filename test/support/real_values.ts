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
np.zeros((2, 0)) → [[],[]]
[np.array(5), np.int64(2**60), np.uint8(1), np.bool_(True)] → [5,"1152921504606846976",1,true]
[np.float32(0.5), np.float64("nan"), np.longdouble(1.5)] → [0.5,"NaN",1.5]
[np.complex64(1+2j), np.clongdouble(1)] → ["(1+2j)","(1+0j)"]
[np.str_("a"), np.bytes_(b"a")] → ["a","a"]
np.array(["2020-01-02", "NaT"], "M8[ns]") → ["2020-01-02T00:00:00.000000000","NaT"]
np.array("2020-01-02", "M8[ns]") → "2020-01-02T00:00:00.000000000"
np.timedelta64(90, "s") → "90 seconds"
np.array([1, None, "a", [2]], object) → [1,null,"a",[2]]
np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]) → [[1,2.5]]
np.matrix([[1, 2]]) → [[1,2]]
np.ma.array([1, 2], mask=[False, True]) → [1,null]
{np.int64(1): np.arange(2)} → {"1":[0,1]}`,
  pandas: String.raw`
pd.Series([1, 2.5, None]) → [1.0,2.5,"NaN"]
pd.Series(["a", None], dtype=object) → ["a",null]
pd.Series(["a", "b"], dtype="category") → ["a","b"]
pd.Series(pd.to_datetime(["2020-01-02", None])) → ["2020-01-02T00:00:00","NaT"]
pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}) → [[1,"x"],[2,"y"]]
[pd.DataFrame(), pd.DataFrame({"a": []})] → [[],[]]
[pd.Timestamp("2020-01-02"), pd.Timedelta("90s"), pd.NaT] → ["2020-01-02T00:00:00","0 days 00:01:30","NaT"]`,
  pydantic: String.raw`
model(a=(int, 1), b=(datetime.date, datetime.date(2020, 1, 2)))() → {"a":1,"b":"2020-01-02"}
model(inner=(model(a=(int, 1)), ...))(inner={"a": 2}) → {"inner":{"a":2}}
pydantic.RootModel[list[int]]([1, 2]) → [1,2]
model(a=(pydantic.SecretStr, "s"))(a="s") → {"a":"SecretStr('**********')"}
pydantic.dataclasses.dataclass(dataclasses.make_dataclass("D", [("a", int)]))("1") → {"a":1}
model(a=(int, 1)) → "<class '__main__.Model'>"`,
} as const;
