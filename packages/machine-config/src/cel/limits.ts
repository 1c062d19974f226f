/** Maximum length of an expression in UTF-16 code units: enough for a list of a thousand serial numbers. */
export const maxExpressionLength = 32_768;

/** Maximum nesting depth of an expression. CEL requires at least 32 levels. */
export const maxExpressionDepth = 250;

/** A check is aborted after this number of steps. One step compares, copies or prints one node of a type. */
export const maxCheckSteps = 500_000;

/** Maximum number of problems reported per expression. */
export const maxReportedProblems = 5;

/** Maximum length of a reported problem in UTF-16 code units: it may quote a long literal. */
export const maxProblemLength = 400;

/** A number literal with more characters is out of range, whatever its digits. */
export const maxNumberLength = 64;

/** Maximum number of objects that one evaluation judges: more than a machine has disks, partitions or links. */
export const maxCandidates = 4_096;

/**
 * What one evaluation may put into new texts, bytes and lists, in characters, bytes and items together. The memory limit of
 * a thread does not count bytes, and does not stop one large allocation.
 */
export const maxJoinedUnits = 8 << 20;

/** Maximum size of one new text, bytes or list. */
export const maxJoinedValue = 1 << 20;
