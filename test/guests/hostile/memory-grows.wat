;; A function that takes memory, and touches it, until it gets none.
(component
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func $run (export "run") (result i32)
      (local $at i32)
      (loop $more
        (local.set $at (i32.mul (memory.grow (i32.const 16)) (i32.const 65536)))
        (if (i32.ne (local.get $at) (i32.const -65536))
          (then
            (memory.fill (local.get $at) (i32.const 1) (i32.const 1048576))
            (br $more))))
      unreachable)
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
)
