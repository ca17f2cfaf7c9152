/** Properties of every route of the gas station that changes something. A route that only reads takes `view`. */
export const GUARDED = { tag: 'Gas station', role: 'admin', permission: 'chain' } as const;

/** Properties of every route of the gas station that only reads. */
export const GUARDED_READ = { ...GUARDED, permission: 'view' } as const;
