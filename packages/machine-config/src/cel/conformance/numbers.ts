import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for numbers: the types int, uint and double cannot be mixed. */
export const numbersRows: ConformanceRows = [
  ['1 + 2', 'int'],
  ['1u + 2u', 'uint'],
  ['1.0 + 2.0', 'double'],
  ['7 % 2', 'int'],
  ['7u % 2u', 'uint'],
  ['-(7)', 'int'],
  ['-7.5', 'double'],
  ['1 < 2', 'bool'],
  ['1u >= 2u', 'bool'],
  ['1.5 == 2.5', 'bool'],
  ['double(1) + 1.5', 'double'],
  ['int(1u) + 1', 'int'],
  ['uint(1) + 1u', 'uint'],
  ["int('7') * int(7.9)", 'int'],
  ["double('1e3') / double(3u)", 'double'],
  [
    '1 + 1u',
    "! 1:3: found no matching overload for '_+_' applied to '(int, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  [
    '1u + 1',
    "! 1:4: found no matching overload for '_+_' applied to '(uint, int)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  [
    '1 + 1.0',
    "! 1:3: found no matching overload for '_+_' applied to '(int, double)': number types cannot be mixed: a double has a point, as in 12.0",
  ],
  [
    '1.0 * 2u',
    "! 1:5: found no matching overload for '_*_' applied to '(double, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u; a double has a point, as in 12.0",
  ],
  [
    '1 - 1u',
    "! 1:3: found no matching overload for '_-_' applied to '(int, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  ['7.0 % 2.0', "! 1:5: found no matching overload for '_%_' applied to '(double, double)'"],
  ['-7u', "! 1:1: found no matching overload for '-_' applied to '(uint)'"],
  [
    '1 < 1u',
    "! 1:3: found no matching overload for '_<_' applied to '(int, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  [
    '1u > 1',
    "! 1:4: found no matching overload for '_>_' applied to '(uint, int)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  [
    '1 <= 1.0',
    "! 1:3: found no matching overload for '_<=_' applied to '(int, double)': number types cannot be mixed: a double has a point, as in 12.0",
  ],
  [
    '1.0 >= 1u',
    "! 1:5: found no matching overload for '_>=_' applied to '(double, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u; a double has a point, as in 12.0",
  ],
  [
    '1 == 1u',
    "! 1:3: found no matching overload for '_==_' applied to '(int, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  [
    '1 != 1.0',
    "! 1:3: found no matching overload for '_!=_' applied to '(int, double)': number types cannot be mixed: a double has a point, as in 12.0",
  ],
  [
    '1u == 1.0',
    "! 1:4: found no matching overload for '_==_' applied to '(uint, double)': number types cannot be mixed: an unsigned number ends in u, as in 120u; a double has a point, as in 12.0",
  ],
  ['!1', "! 1:1: found no matching overload for '!_' applied to '(int)'"],
  ["1 + '1'", "! 1:3: found no matching overload for '_+_' applied to '(int, string)'"],
  ['1 + true', "! 1:3: found no matching overload for '_+_' applied to '(int, bool)'"],
  ['null + 1', "! 1:6: found no matching overload for '_+_' applied to '(null, int)'"],
  ['1 in 1', "! 1:3: found no matching overload for '@in' applied to '(int, int)'"],
  ['int(true)', "! 1:4: found no matching overload for 'int' applied to '(bool)'"],
  ["uint(b'1')", "! 1:5: found no matching overload for 'uint' applied to '(bytes)'"],
  ['double(true)', "! 1:7: found no matching overload for 'double' applied to '(bool)'"],
  ['bool(1)', "! 1:5: found no matching overload for 'bool' applied to '(int)'"],
];
