;; Custom sections with names and contents that break out.
(component
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func (export "run") (result i32) (i32.const 8))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
  (@custom "'];globalThis.pwned=1;['" "'];globalThis.pwned=1;['")
  (@custom "*/globalThis.pwned=1;/*" "*/globalThis.pwned=1;/*")
  (@custom "\e2\80\a8globalThis.pwned=1;//" "\e2\80\a8globalThis.pwned=1;//")
  (@custom "\0aglobalThis.pwned=1;//" "\0aglobalThis.pwned=1;//")
  (@custom "\00" "\00")
  (@custom "__proto__" "__proto__")
)
