/** Properties of every route of the gas station that changes something. Those that only read take `view`. */
export const GUARDED = { tag: 'Gas station', role: 'admin', permission: 'chain' } as const;

/** Properties of every route of the gas station that only reads. */
export const GUARDED_READ = { ...GUARDED, permission: 'view' } as const;
