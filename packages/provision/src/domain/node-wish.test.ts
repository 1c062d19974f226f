import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeNodeWish, parseNodeWish, wishBytes } from './node-wish.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test('parseNodeWish() reads what encodeNodeWish() writes', () => {
  const wishes = [
    { default: 'A', once: 'B', systems: { A: 'created', B: digest } },
    { default: undefined, once: undefined, systems: {} },
  ] as const;
  for (const wish of wishes) assert.deepEqual(parseNodeWish(Buffer.from(encodeNodeWish(wish))), wish);
});

test('parseNodeWish() takes nothing else', () => {
  const texts = [
    ...['', 'null', '[]', '7', '{"default":"C"}', '{"once":["B"]}', '{"systems":[]}', '{"systems":null}'],
    ...['{"systems":{"C":"created"}}', '{"systems":{"B":"latest"}}', '{"systems":{"B":7}}'],
    ...[`{"systems":{"B":"${digest}\\n"}}`, `{"systems":{"B":"${digest} --privileged"}}`],
    ...[`{"systems":{"B":"${digest.toUpperCase()}"}}`, '{"image":"registry.example/node"}'],
    `{"default":"A"}${' '.repeat(wishBytes)}`,
  ];
  for (const text of texts) assert.equal(parseNodeWish(Buffer.from(text)), undefined, text.slice(0, 80));
  assert.equal(parseNodeWish(Buffer.from([0x7b, 0xff, 0x7d])), undefined);
});
