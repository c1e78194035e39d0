;; A function that takes entries of a table until it gets none.
(component
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func $run (export "run") (result i32)
      (loop $more
        (br_if $more
          (i32.ne (table.grow $t (ref.null extern) (i32.const 1000000)) (i32.const -1))))
      (i32.const 8))
    (table $t 1 externref)
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
)
