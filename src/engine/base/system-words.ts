import { messageFor } from '../../contract/messages/message-for.ts';
import type { Message } from '../../contract/messages/message.ts';

/** A system error code in words, with its remedy. */
export interface SystemWords {
  readonly text: Message;
  readonly remedy: Message;
}

/** The only place that turns codes of the system and of SQLite into texts; null for an unknown code. */
export function systemWords(code: string): SystemWords | null {
  switch (codeOfAll(code)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'SQLITE_FULL':
      return { text: messageFor('failure.diskFull', { code }), remedy: messageFor('remedy.freeSpace') };
    case 'EROFS':
      return { text: messageFor('failure.diskReadOnly', { code }), remedy: messageFor('remedy.unlockDisk') };
    case 'EACCES':
    case 'EPERM':
      return { text: messageFor('failure.noRight', { code }), remedy: messageFor('remedy.changeRights') };
    case 'SQLITE_READONLY':
    case 'SQLITE_CANTOPEN':
      return { text: messageFor('failure.folderNotWritable', { code }), remedy: messageFor('remedy.changeRights') };
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return { text: messageFor('failure.databaseLocked', { code }), remedy: messageFor('remedy.closeOtherProgram') };
    case 'EBUSY':
    case 'ETXTBSY':
      return { text: messageFor('failure.inUse', { code }), remedy: messageFor('remedy.closeOtherProgram') };
    case 'EMFILE':
    case 'ENFILE':
      return { text: messageFor('failure.tooManyOpen', { code }), remedy: messageFor('remedy.closePrograms') };
    case 'ENOTDIR':
      return { text: messageFor('failure.partIsFile', { code }), remedy: messageFor('remedy.chooseOtherFolder') };
    case 'ENOENT':
      return { text: messageFor('failure.folderOrFileMissing', { code }), remedy: messageFor('remedy.connectDisk') };
    case 'EISDIR':
      return { text: messageFor('failure.isFolder', { code }), remedy: messageFor('remedy.nameFile') };
    case 'EEXIST':
      return { text: messageFor('failure.nameExists', { code }), remedy: messageFor('remedy.chooseOtherName') };
    case 'ENAMETOOLONG':
      return { text: messageFor('failure.fileNameTooLong', { code }), remedy: messageFor('remedy.chooseOtherName') };
    case 'EFBIG':
      return { text: messageFor('failure.fileTooLargeForDisk', { code }), remedy: messageFor('remedy.useOtherDisk') };
    case 'EIO':
    case 'ENXIO':
    case 'ENODEV':
    case 'ESTALE':
    case 'SQLITE_IOERR':
      return { text: messageFor('failure.diskUnreadable', { code }), remedy: messageFor('remedy.checkDisk') };
    default:
      return null;
  }
}

/** SQLite adds a detail to its codes: `SQLITE_IOERR_WRITE`. */
const codeOfAll = (code: string): string => /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code;
