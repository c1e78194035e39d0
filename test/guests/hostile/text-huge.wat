;; A result of 100 MB.
(component
  (core module $m
    (memory (export "memory") 1700)
    (data (i32.const 8) "\10\00\00\00\00\e1\f5\05")
    (func $run (export "run") (result i32)
      (i32.const 8))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
)
