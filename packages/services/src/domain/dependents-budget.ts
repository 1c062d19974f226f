/**
 * How long all services together may take to stop before the ones that they depend on, in ms. Source: Talos v1.14:
 * reverse dependency stop budget.
 */
export const dependentsBudgetMs = 30_000;
