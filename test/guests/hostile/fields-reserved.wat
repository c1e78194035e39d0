;; A record whose fields have names of the prototype of objects.
(component
  (core module $m
    (func (export "f") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32) (i32.const 1))
  )
  (core instance $i (instantiate $m))
  (type $t-own0 (record (field "constructor" bool) (field "then" bool) (field "to-string" bool) (field "value-of" bool) (field "to-json" bool) (field "prototype" bool) (field "name" bool) (field "length" bool) (field "has-own-property" bool) (field "proto" bool)))
  (func $f0 (param "value" $t-own0) (result u32) (canon lift (core func $i "f")))
  (component $shim
    (type $t-own0 (record (field "constructor" bool) (field "then" bool) (field "to-string" bool) (field "value-of" bool) (field "to-json" bool) (field "prototype" bool) (field "name" bool) (field "length" bool) (field "has-own-property" bool) (field "proto" bool)))
    (import "type-n0" (type $t-in0 (eq $t-own0)))
    (import "func-n0" (func $f0 (param "value" $t-in0) (result u32)))
    (export $t-out0 "constructor" (type $t-own0))
    (export "take" (func $f0) (func (param "value" $t-out0) (result u32)))
  )
  (instance $x (instantiate $shim
    (with "type-n0" (type $t-own0))
    (with "func-n0" (func $f0))
  ))
  (export "a:b/c" (instance $x))
)
