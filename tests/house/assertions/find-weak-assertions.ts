// Assertions that pass for another reason than the one that their test is about, found in the syntax tree of a test file.
import {
  type CallExpression,
  type Expression,
  isBinaryExpression,
  isCallExpression,
  isForOfStatement,
  isIdentifier,
  isImportDeclaration,
  isNamedImports,
  isPropertyAccessExpression,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';

export interface WeakAssertions {
  /** Lines of `assert.rejects` and `assert.throws` that any error satisfies. */
  readonly anyError: readonly number[];
  /** Lines of loops that assert something of each file, and so pass when no file is found. */
  readonly maybeEmpty: readonly number[];
  /** Lines of bounds that come from the constant under test, so that no change of it is noticed. */
  readonly borrowedBounds: readonly number[];
}

/** Functions that look for files. */
const finders = new Set(['globSync', 'readdirSync', 'matchFiles', 'listFiles', 'glob', 'readdir']);
const comparisons = new Set<SyntaxKind>([
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
]);
/** What limits are called: `registrydLimits.freshTags`, `mostBytes`, `timeoutMs`. */
const limitName = /limits?$|^(?:max|most)[A-Z]|(?:Bytes|Ms|Seconds)$/i;

export function findWeakAssertions(tree: SourceFile): WeakAssertions {
  const lineOf = (node: Node) => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
  const textOf = (node: Node) => node.getText(tree);
  const nodes: Node[] = [];
  const collect = (node: Node): void => {
    nodes.push(node);
    node.forEachChild(collect);
  };
  collect(tree);

  const calls = nodes.filter(isCallExpression);
  const asserting = calls.filter((call) => textOf(call.expression).startsWith('assert.'));
  const anyError = asserting
    .filter(
      (call) => /^assert\.(?:rejects|throws)$/.test(textOf(call.expression)) && call.arguments.length < 2,
    )
    .map(lineOf);

  /** Variables that hold what a function found. */
  const found = new Set(
    nodes
      .filter(isVariableDeclaration)
      .filter(({ initializer }) => initializer !== undefined && findsFiles(initializer))
      .map(({ name }) => textOf(name)),
  );
  const counted = (name: string) =>
    asserting.some((call) =>
      new RegExp(`\\b${name}\\.(?:length|size)\\b|\\b${name}\\b.*\\[`).test(textOf(call)),
    );
  const maybeEmpty = nodes
    .filter(isForOfStatement)
    .filter(({ expression, statement }) => {
      if (!/\bassert\.|\btest\(/.test(textOf(statement))) return false;
      const [name = ''] = /^\w+/.exec(textOf(expression)) ?? [];
      return findsFiles(expression) || (found.has(name) && !counted(name));
    })
    .map(lineOf);

  const imported = new Set(
    nodes.filter(isImportDeclaration).flatMap(({ importClause, moduleSpecifier }) => {
      const bindings = importClause?.namedBindings;
      if (bindings === undefined || !isNamedImports(bindings) || !isStringLiteral(moduleSpecifier)) return [];
      const isOwn =
        /^(?:\.|@nodewright\/)/.test(moduleSpecifier.text) && !/test|seed/.test(moduleSpecifier.text);
      return isOwn ? bindings.elements.map(({ name }) => textOf(name)) : [];
    }),
  );
  const borrowedBounds = asserting
    .filter((call) => textOf(call.expression) === 'assert.ok')
    .filter(({ arguments: [condition] }) => {
      if (condition === undefined || !isBinaryExpression(condition)) return false;
      if (!comparisons.has(condition.operatorToken.kind)) return false;
      // Between constants there is a relation, and no measured value; a constant may be compared with a number.
      const sides = [condition.left, condition.right].map(limitsIn);
      return sides.some(({ limits }) => limits > 0) && sides.some(({ others }) => others > 0);
    })
    .map(lineOf);
  return { anyError, maybeEmpty, borrowedBounds };

  function findsFiles(expression: Expression): boolean {
    let node: Node = expression;
    // The first call of a chain such as `globSync(pattern).filter(isWanted).sort()`.
    for (;;) {
      if (node.kind === SyntaxKind.AwaitExpression || node.kind === SyntaxKind.ParenthesizedExpression)
        node = (node as unknown as CallExpression).expression;
      else if (isCallExpression(node)) {
        if (finders.has(textOf(node.expression))) return true;
        node = node.expression;
      } else if (isPropertyAccessExpression(node)) node = node.expression;
      else return false;
    }
  }

  /** How many names of an expression are limits that the file imports, and how many are something else. */
  function limitsIn(node: Node): { readonly limits: number; readonly others: number } {
    if (isPropertyAccessExpression(node) || isIdentifier(node)) {
      const [root = ''] = /^\w+/.exec(textOf(node)) ?? [];
      const isLimit = imported.has(root) && limitName.test(root);
      return isLimit ? { limits: 1, others: 0 } : { limits: 0, others: 1 };
    }
    const counts = { limits: 0, others: 0 };
    node.forEachChild((child) => {
      // What a function is called says nothing about its value.
      const { limits, others } =
        isCallExpression(node) && child === node.expression ? noLimit : limitsIn(child);
      counts.limits += limits;
      counts.others += others;
    });
    return counts;
  }
}

const noLimit = { limits: 0, others: 1 };
