/** Longer expressions are refused, in UTF-16 code units: a list of a thousand serial numbers fits. */
export const maxExpressionLength = 32_768;

/** Expressions that nest deeper are refused: CEL asks for at least 32 levels. */
export const maxExpressionDepth = 250;

/** A check that takes more steps is given up. One step compares, copies or prints one node of a type. */
export const maxCheckSteps = 500_000;

/** No more problems than these are reported of one expression. */
export const maxReportedProblems = 5;

/** A reported problem is cut after so many characters: it may quote a long literal. */
export const maxProblemLength = 400;

/** Longer number literals are out of range whatever their digits are. */
export const maxNumberLength = 64;
