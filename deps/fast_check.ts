// For tests alone: values that are made at random, and shrunk when one fails.
export {
  type Arbitrary,
  array,
  assert as assertProperty,
  asyncProperty,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  letrec,
  nat,
  oneof,
  option,
  property,
  string,
  tuple,
} from "fast-check";
