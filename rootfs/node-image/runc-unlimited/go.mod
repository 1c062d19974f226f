module nodewright.invalid/runc-unlimited

go 1.26.0
