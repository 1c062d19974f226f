import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownSecrets, SecretFilter } from './secret-filter.ts';

const shown = (line: string) => new SecretFilter().line(line);

/** Lines as programs write them: what is between `«` and `»` is the secret, and nothing else may be removed. */
const forms: Readonly<Record<string, readonly string[]>> = {
  'JSON of any depth': [
    '{"password":"«p@s,s;word12345»"}',
    '{"password": "«correct horse battery staple»", "user": "u"}',
    '{"password":"«with \\"quotes\\" and \\\\»","user":"u"}',
    '{"msg":"got {\\"token\\":\\"«abc,def}ghi»\\",\\"a\\":1}","b":2}',
    '{"msg":"{\\"m\\":\\"{\\\\\\"secret\\\\\\":\\\\\\"«a b c d»\\\\\\"}\\"}"}',
    '{"auths":{"registry.example":{"auth":"«dXNlcjpodW50ZXIyMg==»"}}}',
    '{"identitytoken":"«aaaa.bbbb»","cut":"x","password":"«the rest was cut off»',
  ],
  'logfmt, klog and Go structures': [
    'level=info token=«abcdef.0123456789» user=u',
    'level=info password="«correct horse»" user=u',
    "passwd=«hunter22», pwd='«hunter 22»'",
    'E0102 10:00:00 auth.go:1] "Failed" apiKey="«k1 k2»" err="x"',
    '{Username:u Password:«hunter22» Auth: IdentityToken:}',
    'map[X-Api-Key:[«abcdefgh»] Accept:[*/*]]',
    'map[Authorization:[Bearer «abcdefgh12345678»] Accept:[*/*]]',
    '(token=«abcdefgh»)',
    'password=«p@s,s;word12345» next',
    'password=«ab"cd\'ef» next',
    'token=«abcdef»,other=x',
    'password=«{ab(c12»',
  ],
  'flags of command lines': [
    'etcdctl --user root:«hunter22» --endpoints x',
    'etcdctl --password «hunter22» get /x',
    'kubeadm join --token «abcdef.0123» 10.0.0.1:6443',
    'kubelet --bootstrap-token=«abcdef.0123» --v=2',
    '"args":["kubelet","--token","«abcdef.0123»","--v"]',
    "program -password '«two words»' -v",
    'curl -u admin:«hunter22» https://a.example/',
    "curl -s -u 'admin:«hunter22»' https://a.example/",
    'curl --proxy-user admin:«hunter22» https://a.example/',
  ],
  'headers of requests': [
    'X-Api-Key: «0123-4567-89ab»',
    "curl -H 'X-Auth-Token: «abcdefgh»' https://a.example/",
    'Authorization: token «gho_short»',
    'Authorization: Basic «dXNlcjpwYXNz»',
    'authorization: bearer «abc.def-ghi»',
    'Proxy-Authorization: Basic «dXNlcjpwYXNz»',
    'Authorization: «abcdefghijkl»',
    'Authorization: AWS4-HMAC-SHA256 «Credential=AKIA/eu/s3, SignedHeaders=host, Signature=fe5f»',
    '{"headers":{"Authorization":["Bearer «abc def»"],"Accept":["*/*"]}}',
    '"{\\"Authorization\\":\\"Bearer «abcd»\\"}"',
    'Set-Cookie: «session=abcdef; Path=/»',
  ],
  'URLs and data sources': [
    'pull https://user:«hunter22»@registry.example/v2',
    'postgres://app:«p@ss/word:1»@db:5432/app?sslmode=disable',
    'postgresql://db/app?user=u&password=«hunter22»&sslmode=require',
    'proxy http://:«hunter22»@proxy:3128',
    'https://a.example/x?X-Amz-Signature=«fe5f80f77d5f»&b=1',
    'https://a.example/x?access_token=«abcdefgh»&b=1',
    "host=db user=app password='«hunter 22»' dbname=app",
    'app:«hunter22»@tcp(db:3306)/app',
    'redis://default:«12345678»@cache:6379/0',
  ],
  'files and environments': [
    'machine a.example login bob password «hunter22»',
    '    password «hunter22»',
    'PGPASSWORD=«hunter22» psql',
    'MYSQL_PWD=«hunter22»',
    'DB_PASS=«hunter22»',
    'aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»',
    'AWS_ACCESS_KEY_ID=«AKIAIOSFODNN7EXAMPLE»',
    '//registry.npmjs.org/:_authToken=«abcdefgh»',
    'AccountKey=«abcd1234==»;EndpointSuffix=core.windows.net',
    'PrivateKey = «aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcdefg=»',
    '  private key: «aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcdefg=»',
    'root:«$6$saltsalt$abcdefghijklmnop»:19000:0:99999:7:::',
    'client_secret: «abcdefgh»',
  ],
  'tokens with a form of their own': [
    'using «ghp_abcdefghijklmnopqrstuvwxyz0123456789»',
    'using «glpat-abcdefghijklmnopqrst» now',
    'got «eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl» for pod',
    'found «abcdef.0123456789abcdef» in the cluster',
    'Bearer «eyJhbGciOi12345»',
    'key «AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQ»',
  ],
};

for (const [what, lines] of Object.entries(forms))
  test(`SecretFilter hides exactly the secret in ${what}`, () => {
    const plain = lines.map((line) => line.replaceAll(/[«»]/g, ''));
    const expected = lines.map((line) => line.replaceAll(/«[^»]*»/g, '<REDACTED>'));
    assert.deepEqual(plain.map(shown), expected);
    // A text that was filtered before is not changed again.
    assert.deepEqual(expected.map(shown), expected);
  });

test('SecretFilter keeps what only looks like a secret', () => {
  const lines = [
    'password file /etc/x',
    'token expired',
    'the token was refused, and the password too',
    'token: x',
    'token=<nil> secret=(nil) credentials={"user":"u"} tokens=["a"]',
    '{"token":"","password":null,"secret":true}',
    '--token-file /etc/token --password-file=/etc/x',
    'kubelet --token --v=2',
    'tokenFile: /etc/token',
    'secret "kube-system/tls" not found',
    'max_tokens=4096 secretName: tls-certificate',
    'PWD=/root OLDPWD=/home',
    'request 3f2b8c1e-5d7a-4e0b-9c6f-0123456789ab took 3 ms',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'docker://registry.example:5000/image@sha256:9f86d081884c7d659a2feaa0c55ad015',
    'https://registry.example:4873/@scope/package and https://a.example/x?mail=b@c.example',
    'Basic authentication is required, bearer authentication failed',
    'authorization: request denied by webhook',
    '--authorization-mode=Node,RBAC auth: webhook',
    'user@a.example called http://10.0.0.1:8080/healthz',
    'api key: not found, signature: invalid',
    'go.uber.org/zap v1.27.0 h1:aJMhYGrd5QSmlpLMr2MftRKl7t8J8PTZPA732ud/XR8=',
    'at server.example0123456789.com and abcdef.ghijklmnopqrstuv',
    'cookie: not found',
    'machine a.example is up, login bob',
  ];
  assert.deepEqual(lines.map(shown), lines);
});

/** Beginnings that patterns look for, repeated without the end that they look for. */
const hostile = [
  ...['a', ' ', '\\', '"', '=', ':', '-', '/', '.', '@', 'a.', 'a-', ',', '://', '=:', '{', '['],
  ...[
    'token',
    'token=',
    'token={',
    'token={"',
    'token=<nil>',
    'token=(',
    'token ',
    'token = ',
    '--token ',
    '--token {',
    'token="',
    "token='",
    'token=\\"',
  ],
  ...[
    'pwd=/',
    'pwd="/',
    'password password ',
    'private key ',
    'auth=',
    '_auth=a ',
    'login ',
    'login a password ',
  ],
  ...[
    'authorization: a ',
    'authorization: ',
    'Authorization: Bearer ',
    'cookie: a ',
    'cookie=',
    'Bearer ',
    'Basic a',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN A ',
    '-----BEGIN ',
    'PRIVATE KEY',
    '-----END A',
    'LS0tLS1CRUdJ',
    'LS0tLS1CRUdJ.',
  ],
  ...[
    'eyJ',
    'eyJ-',
    'eyJaaaaaaaa.',
    '-eyJ',
    'ghp_',
    'glpat-',
    'AKIA',
    '$6$',
    'abcdef.',
    'a@',
    'http://a:',
    'http://a:1/',
    'http://a:@',
  ],
  ...[
    '-u a:',
    ' -u a',
    '--user ',
    'a:b@',
    'a:b@tcp',
    ',a=',
    ',aaaa',
    ';',
    ')',
    "'a",
    '&amp;',
    '&a',
    'token=a,',
    'token=a)',
    "token=a'",
    'token=sha256:',
  ],
  ...['authorization:', 'authorization: token sha256:', 'authorization: token a'],
];

const shortMs = 5;

test('SecretFilter takes a line of 1 MiB in linear time, whatever is in it', () => {
  const known = new KnownSecrets();
  known.add(['aaaaaaab', 'token=token=x', '://://://-', `${'a'.repeat(100)}b`]);
  const filter = new SecretFilter(known);
  const duration = (piece: string, size: number) => {
    const line = piece.repeat(Math.ceil(size / piece.length));
    const begin = performance.now();
    filter.text(line);
    return performance.now() - begin;
  };
  // Linear is 16 times as long, quadratic 256 times. A few milliseconds are too short to tell.
  const isSlow = (piece: string) =>
    duration(piece, 1024 * 1024) > 100 * Math.max(duration(piece, 64 * 1024), shortMs);
  // A pause of the machine may look like it once, but not three times.
  assert.deepEqual(
    hostile.filter((piece) => isSlow(piece) && isSlow(piece) && isSlow(piece)),
    [],
  );
});
