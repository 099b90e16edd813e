/** Whose memory it is on a person's own machine, where nobody says: the editor, the chat client and the terminal share it. */
export const DEFAULT_USER = 'me';
