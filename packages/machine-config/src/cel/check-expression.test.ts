import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkExpression, type ExpressionEnvironment } from './check-expression.ts';

test('checkExpression() takes what selects disks, volumes and links', () => {
  const rows: [string, ExpressionEnvironment][] = [
    ['disk.dev_path == "/dev/sda"', 'disk'],
    ["disk.transport == 'nvme' && !system_disk", 'disk'],
    ['disk.size > 120u * GB && disk.size < 1u * TB || disk.rotational', 'disk'],
    ['glob("/dev/disk/by-id/*", disk.symlinks[0])', 'disk'],
    ["disk.symlinks.exists(link, link.startsWith('/dev/disk/by-id/'))", 'disk'],
    ['disk.model in ["a", r"b\\d",] ? true : size(disk.serial) >= 3', 'disk'],
    ['volume.partition_label == "u-data" && disk.size > 0u', 'volume'],
    ['mac(link.permanent_addr) == "00:11:22:33:44:55" || glob("00:1a:*", mac(link.hardware_addr))', 'link'],
    ['memory.pressure > 12.5 && (time_since(x) > duration("1s"))', 'open'],
    ['{"a": 1}["a"] == -1 // the end', 'open'],
  ];
  assert.deepEqual(
    rows.map(([text, environment]) => checkExpression(text, environment, 'bool')),
    rows.map(() => undefined),
  );
});

test('checkExpression() says what is wrong, and where', () => {
  const rows: [string, string][] = [
    ['', 'is not an expression: it ends early'],
    ['disk.size >', 'is not an expression: it ends early'],
    ['disk.size > > 1', 'is not an expression: it has something out of place at 13'],
    ['(disk.size > 1', 'is not an expression: it ends early: ")" is expected'],
    ['true; false', 'is not an expression: it has a character without meaning at 5'],
    ['disk.sise > 1u', 'is not an expression: it asks for disk.sise, which there is not'],
    [
      'volume.size > 1u',
      'is not an expression: it names volume, which there is not: there is disk, system_disk',
    ],
    ['mac(disk.serial) == ""', 'is not an expression: it calls mac, which there is not'],
    ['disk.serial.foo() == ""', 'is not an expression: it calls foo, which there is not'],
    ['disk.size > 10 * GB', 'is not an expression: it has int * uint, which has no meaning'],
    ['disk.size == "10"', 'is not an expression: it compares uint with string'],
    ['disk.size && true', 'is not an expression: it has uint where bool is needed'],
    ['disk.size', 'must be an expression of type bool: this one is of type uint'],
    ['"true"', 'must be an expression of type bool: this one is of type string'],
    [`${'('.repeat(5000)}true`, 'is not an expression: it is nested too deeply'],
    [`${'!'.repeat(5000)}true`, 'ok'],
  ];
  assert.deepEqual(
    rows.map(([text]) => checkExpression(text, 'disk', 'bool') ?? 'ok'),
    rows.map(([, problem]) => problem),
  );
  assert.equal(
    checkExpression('1', 'open', 'double'),
    'must be an expression of type double: this one is of type int',
  );
});
