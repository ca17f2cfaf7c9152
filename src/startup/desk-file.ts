/** Name of the file in DATA_DIR that says where the desk listens. */
export const DESK_FILE = 'desk.json';
