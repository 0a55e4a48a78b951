#error "a public header of the library includes {fmt}"
