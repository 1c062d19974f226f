import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOfDiff } from './changed-lines.ts';

test('linesOfDiff() has the lines that were added or changed, as they are numbered now', () => {
  const diff = `diff --git a/packages/a.ts b/packages/a.ts
--- a/packages/a.ts
+++ b/packages/a.ts
@@ -3 +3 @@ export
-old
+new
@@ -10,2 +9,0 @@
-gone
-gone
@@ -20,0 +18,2 @@
+one
+two
diff --git a/packages/gone.ts b/packages/gone.ts
--- a/packages/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/packages/new.ts b/packages/new.ts
--- /dev/null
+++ b/packages/new.ts
@@ -0,0 +1,3 @@
+x
+x
+x`;
  const lines = [...linesOfDiff(diff)].map(([file, numbers]) => [file, ...numbers]);
  assert.deepEqual(lines, [['packages/a.ts', 3, 18, 19], ['/dev/null'], ['packages/new.ts', 1, 2, 3]]);
});
