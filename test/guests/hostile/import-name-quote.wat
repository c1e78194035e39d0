;; An import whose name is not a name of WIT.
(component
  (import "wasi:cli/'];globalThis.pwned=1;//@0.2.0" (instance $a))
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func $run (export "run") (result i32)
      (i32.const 8))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
)
