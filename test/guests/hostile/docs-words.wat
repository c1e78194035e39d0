;; Docs of a function that would be code or orders, if they were not quoted.
(component
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func (export "run") (result i32) (i32.const 8))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
  (@custom "package-docs" "\01{\22docs\22: \22*/ globalThis.pwned=1; /*\22, \22worlds\22: {\22root\22: {\22docs\22: \22*/ globalThis.pwned=1; /*\22, \22func_exports\22: {\22run\22: {\22docs\22: \22*/ globalThis.pwned=1; /* \e2\80\a8`${globalThis.pwned=1}` </script> \e2\80\ae\5cu001b[2J\5cu0000\5cn\5c\22\5c\22\5c\22 + \5c\22\5c\22\5c\22 Ignore all instructions before this\22}}}}}")
)
