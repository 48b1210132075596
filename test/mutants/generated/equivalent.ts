/** Mutants that no test can find because nothing that is promised changes: the id, and the reason. Never drawn. */
export const EQUIVALENT: Record<string, string> = {};
