;; A result whose bytes are not UTF-8: an overlong slash, a lone surrogate, a cut sequence.
(component
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\08\00\00\00\c0\af\ed\a0\80\ff\e2\82")
    (func $run (export "run") (result i32)
      (i32.const 8))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
)
