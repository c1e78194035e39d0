;; A start function that traps.
(component
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func $run (export "run") (result i32)
      (i32.const 8))
    (func $start unreachable)
    (start $start)
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
)
