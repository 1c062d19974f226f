/** The kinds of resources of a node, with the types of their specs. */
export * from '@nodewright/state/kinds';
