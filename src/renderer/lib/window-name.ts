const STORED_AS = 'dailies.window';

/**
 * What this window is called among all that are open; the same after a reload. Kept in the window only between two pages:
 * a copy of the window, which takes along what is kept there, gets a name of its own.
 */
export const windowName = sessionStorage.getItem(STORED_AS) ?? crypto.randomUUID();
sessionStorage.removeItem(STORED_AS);
addEventListener('pagehide', () => sessionStorage.setItem(STORED_AS, windowName));
