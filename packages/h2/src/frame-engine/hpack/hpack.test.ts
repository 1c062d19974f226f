// The examples of RFC 7541, appendix C, and the malformed blocks that it names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../connection-error.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { encodedBound, HpackEncoder } from './hpack-encoder.ts';

const limits = { maxListBytes: 65_536, maxFields: 100 };
const get = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com'];
const secureGet = [
  ...[':method', 'GET', ':scheme', 'https', ':path', '/index.html'],
  ...[':authority', 'www.example.com', 'custom-key', 'custom-value'],
];
const cached = [...get, 'cache-control', 'no-cache'];
const response = (status: string, seconds: string) => [
  ...[':status', status, 'cache-control', 'private'],
  ...['date', `Mon, 21 Oct 2013 20:13:${seconds} GMT`, 'location', 'https://www.example.com'],
];
const cookie = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1';

const decode = (decoder: HpackDecoder, hex: string) => {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  return decoder.decode(bytes, 0, bytes.length).fields;
};

const sequences: readonly {
  readonly name: string;
  readonly tableBytes: number;
  readonly blocks: readonly (readonly [hex: string, fields: readonly string[]])[];
}[] = [
  {
    name: 'C.2.1, a literal field with indexing',
    tableBytes: 4096,
    blocks: [
      ['400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', ['custom-key', 'custom-header']],
    ],
  },
  {
    name: 'C.2.2, a literal field without indexing',
    tableBytes: 4096,
    blocks: [['040c 2f73 616d 706c 652f 7061 7468', [':path', '/sample/path']]],
  },
  {
    name: 'C.2.3, a literal field that is never indexed',
    tableBytes: 4096,
    blocks: [['1008 7061 7373 776f 7264 0673 6563 7265 74', ['password', 'secret']]],
  },
  { name: 'C.2.4, an indexed field', tableBytes: 4096, blocks: [['82', [':method', 'GET']]] },
  {
    name: 'C.3, requests without Huffman codes',
    tableBytes: 4096,
    blocks: [
      ['8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d', get],
      ['8286 84be 5808 6e6f 2d63 6163 6865', cached],
      ['8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65', secureGet],
    ],
  },
  {
    name: 'C.4, requests with Huffman codes',
    tableBytes: 4096,
    blocks: [
      ['8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff', get],
      ['8286 84be 5886 a8eb 1064 9cbf', cached],
      ['8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf', secureGet],
    ],
  },
  {
    name: 'C.5, responses without Huffman codes, with evictions',
    tableBytes: 256,
    blocks: [
      [
        '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32' +
          '3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        response('302', '21'),
      ],
      ['4803 3330 37c1 c0bf', response('307', '21')],
      [
        '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970' +
          '7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61' +
          '6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
        [...response('200', '22'), 'content-encoding', 'gzip', 'set-cookie', cookie],
      ],
    ],
  },
  {
    name: 'C.6, responses with Huffman codes, with evictions',
    tableBytes: 256,
    blocks: [
      [
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad' +
          '1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        response('302', '21'),
      ],
      ['4883 640e ffc1 c0bf', response('307', '21')],
      [
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2' +
          'e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
        [...response('200', '22'), 'content-encoding', 'gzip', 'set-cookie', cookie],
      ],
    ],
  },
];

for (const { name, tableBytes, blocks } of sequences) {
  test(`HpackDecoder decodes the example ${name}`, () => {
    const decoder = new HpackDecoder(limits);
    decoder.allowTable(tableBytes);
    for (const [hex, fields] of blocks) assert.deepEqual(decode(decoder, hex), fields);
  });
}

test('HpackDecoder refuses malformed blocks with COMPRESSION_ERROR', () => {
  const rows: readonly [what: string, hex: string][] = [
    ['index 0', '80'],
    ['an index behind the static table', 'be'],
    ['a name index behind the static table', '7f 00 01 61'],
    ['an integer without its end', 'ff'],
    ['an integer that never ends', 'ff ff ff ff ff ff ff ff ff ff ff ff'],
    ['a string without its end', '00 05 61'],
    ['a field without its value', '00 01 61'],
    ['a field without its name', '40'],
    ['a table size above the setting', '3f e2 1f'],
    ['a table size after a field', '82 20'],
    ['Huffman padding of more than 7 bits', '00 82 1f ff 01 61'],
    ['Huffman padding with a zero', '00 81 18 01 61'],
    ['the end-of-string symbol', '00 84 ff ff ff ff 01 61'],
  ];
  for (const [what, hex] of rows) {
    assert.throws(
      () => decode(new HpackDecoder(limits), hex),
      (error) => error instanceof ConnectionError && error.code === 9,
      what,
    );
  }
});

test('HpackDecoder drops the fields of a block over its limits, and keeps the table', () => {
  const decoder = new HpackDecoder({ maxListBytes: 100, maxFields: 3 });
  const large = Buffer.from(`400161${'7f0a'}${'62'.repeat(137)}`, 'hex');
  const block = decoder.decode(large, 0, large.length);
  assert.deepEqual([block.tooLarge, block.fields], [true, []]);
  assert.throws(() => decode(decoder, 'bf'), ConnectionError);
  // One byte per field: a small block can have a large list.
  assert.equal(decoder.decode(Buffer.from('be', 'hex'), 0, 1).tooLarge, true);
  assert.equal(decoder.decode(Buffer.from('82868484', 'hex'), 0, 4).tooLarge, true);
  assert.deepEqual(decode(decoder, '8286'), [':method', 'GET', ':scheme', 'http']);
});

test('HpackDecoder returns the same block for the same bytes until the table changes', () => {
  const decoder = new HpackDecoder(limits);
  const block = Buffer.from('8286', 'hex');
  const first = decoder.decode(block, 0, 2);
  assert.equal(decoder.decode(Buffer.from(block), 0, 2), first);
  decode(decoder, '400161 0162');
  const added = decode(decoder, 'be');
  decode(decoder, '400163 0164');
  assert.deepEqual(
    [added, decode(decoder, 'be')],
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  );
});

test('HpackEncoder writes blocks that depend on no state', () => {
  const encoder = new HpackEncoder();
  const fields = [':status', '200', 'content-type', 'application/grpc', 'x-long', 'v'.repeat(5000), 'x', ''];
  const encode = () => {
    const output = Buffer.alloc(encodedBound(fields));
    return output.subarray(0, encoder.encode(fields, output, 0));
  };
  const [first, second] = [encode(), encode()];
  assert.deepEqual(second, first);
  for (const block of [first, second]) {
    const decoder = new HpackDecoder(limits);
    decoder.allowTable(0);
    assert.deepEqual(decoder.decode(block, 0, block.length).fields, fields);
  }
});
