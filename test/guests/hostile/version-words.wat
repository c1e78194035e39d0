;; The version of an exported interface has words of its own.
(component
  (core module $m (func (export "f") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))
  (func $f (result u32) (canon lift (core func $i "f")))
  (instance $x (export "run" (func $f)))
  (export "a:b/c@1.0.0-global-this.pwned--1+constructor.proto" (instance $x))
)
