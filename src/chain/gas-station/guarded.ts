/** Properties of every route of the gas station. */
export const GUARDED = { tag: 'Gas station', role: 'admin' } as const;
