// The faults that can be planted in a file, each a change of one place in a line with logic.
import {
  type CallExpression,
  isArrowFunction,
  isBigIntLiteral,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isCatchClause,
  isClassStaticBlockDeclaration,
  isConditionalExpression,
  isConstructorDeclaration,
  isExpressionStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIfStatement,
  isMethodDeclaration,
  isNumericLiteral,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isSetAccessorDeclaration,
  isShorthandPropertyAssignment,
  isTryStatement,
  isTypeNode,
  isVariableStatement,
  isWhileStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';

export interface Fault {
  readonly file: string;
  /** Of its first character, from 1. */
  readonly line: number;
  /** What was done, such as `condition negated`. */
  readonly what: string;
  /** The part of the text that is replaced, as offsets. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** Operators, and what each becomes: the other side of a border, or the opposite. */
const swapped: Readonly<Partial<Record<SyntaxKind, string>>> = {
  [SyntaxKind.LessThanToken]: '<=',
  [SyntaxKind.LessThanEqualsToken]: '<',
  [SyntaxKind.GreaterThanToken]: '>=',
  [SyntaxKind.GreaterThanEqualsToken]: '>',
  [SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [SyntaxKind.AmpersandAmpersandToken]: '||',
  [SyntaxKind.BarBarToken]: '&&',
  [SyntaxKind.PlusToken]: '-',
  [SyntaxKind.MinusToken]: '+',
};

/** What people read, and nothing depends on: a fault there says nothing about tests. */
const forPeople = /^(?:await )?(?:[\w.#?]*\.)?(?:log\b|span\b|say\b|note\b|process\.std)/;
const lastsOfCalls = /^(?:assert|super)\b/;

const isFunction = (node: Node) =>
  isArrowFunction(node) ||
  isFunctionDeclaration(node) ||
  isFunctionExpression(node) ||
  isMethodDeclaration(node) ||
  isConstructorDeclaration(node) ||
  isGetAccessorDeclaration(node) ||
  isSetAccessorDeclaration(node) ||
  isClassStaticBlockDeclaration(node);

/**
 * All faults of a file, in the order of their places. Outside of functions, which is where tables are, only numbers that a constant
 * consists of are changed.
 */
export function findFaults(file: string, tree: SourceFile): Fault[] {
  const { text } = tree;
  const faults: Fault[] = [];
  const add = (what: string, { start, end }: { start: number; end: number }, after: string) => {
    const { line } = tree.getLineAndCharacterOfPosition(start);
    faults.push({ file, line: line + 1, what, start, end, before: text.slice(start, end), after });
  };
  const placeOf = (node: Node) => ({ start: node.getStart(tree), end: node.end });
  const textOf = (node: Node) => node.getText(tree);

  const isForPeople = (node: Node) => isCallExpression(node) && forPeople.test(textOf(node));
  const isNumber = (node: Node) => isNumericLiteral(node) || isBigIntLiteral(node);
  const negate = (condition: Node) => add('condition negated', placeOf(condition), `!(${textOf(condition)})`);

  function visit(node: Node, isLogic: boolean): void {
    // Types have numbers and operators of their own.
    if (isTypeNode(node) || isForPeople(node)) return;
    if (isLogic) visitLogic(node);
    else if (isVariableStatement(node)) visitConstants(node);
    const inside = isLogic || isFunction(node);
    node.forEachChild((child) => visit(child, inside));
  }

  /** A limit or a time: `const mostBytes = 64 * 1024`. */
  function visitConstants(node: Node): void {
    if (isNumber(node)) changeNumber(node);
    else if (
      !isFunction(node) &&
      !isObjectLiteralExpression(node) &&
      !isCallExpression(node) &&
      !isTypeNode(node)
    )
      node.forEachChild(visitConstants);
  }

  function visitLogic(node: Node): void {
    if (isIfStatement(node) || isWhileStatement(node)) negate(node.expression);
    else if (isConditionalExpression(node)) negate(node.condition);
    else if (isNumber(node)) changeNumber(node);
    else if (isBinaryExpression(node)) {
      const after = swapped[node.operatorToken.kind];
      // The sum of texts is a text.
      const isText = /['"`]/.test(textOf(node)) && (after === '+' || after === '-');
      if (after !== undefined && !isText) add('operator swapped', placeOf(node.operatorToken), after);
    } else if (isExpressionStatement(node)) {
      if (!forPeople.test(textOf(node)) && !lastsOfCalls.test(textOf(node)))
        add('statement removed', placeOf(node), ';');
    } else if (isCallExpression(node)) dropArguments(node);
    else if (isTryStatement(node)) {
      if (node.finallyBlock !== undefined && node.finallyBlock.statements.length > 0)
        add('finally emptied', placeOf(node.finallyBlock), '{}');
    } else if (isCatchClause(node) && isBlock(node.block) && node.block.statements.length > 0)
      add('catch emptied', placeOf(node.block), '{}');
  }

  function changeNumber(node: Node): void {
    const before = textOf(node);
    const isBig = before.endsWith('n');
    const value = Number(before.replaceAll('_', '').replace(/n$/, ''));
    const after = value < 10 ? value + 1 : value * 2;
    add('number changed', placeOf(node), `${after}${isBig ? 'n' : ''}`);
  }

  function dropArguments(call: CallExpression): void {
    const given = call.arguments;
    const last = given.at(-1);
    const before = given.at(-2);
    if (last !== undefined && before !== undefined && !isFunction(last))
      add('argument dropped', { start: before.end, end: last.end }, '');
    for (const argument of given) {
      if (!isObjectLiteralExpression(argument)) continue;
      for (const property of argument.properties)
        if (isPropertyAssignment(property) || isShorthandPropertyAssignment(property)) {
          const { start, end } = placeOf(property);
          const comma = /^\s*,/.exec(text.slice(end))?.[0].length ?? 0;
          add('option dropped', { start, end: end + comma }, '');
        }
    }
  }

  visit(tree, false);
  return faults.toSorted((one, other) => one.start - other.start || one.end - other.end);
}

/** The text of a file with the fault. */
export const plant = (text: string, { start, end, after }: Fault): string =>
  text.slice(0, start) + after + text.slice(end);

/** A fault in one line: the place, what was done, and the texts. */
export function formatFault({ file, line, what, before, after }: Fault): string {
  const short = (part: string) => {
    const one = part.replaceAll(/\s+/g, ' ').trim();
    return one.length <= 70 ? one : `${one.slice(0, 67)}...`;
  };
  const isNegated = what === 'condition negated';
  const shown = isNegated ? '' : after.trim() === '' || after === ';' ? '' : ` -> ${short(after)}`;
  return `${file}:${line}: ${what}: ${short(before)}${shown}`;
}
