/*
 * The `dailies` command of the installed app on Windows, as a program. What a script is given goes through cmd.exe, which
 * takes & > and % for its own. It needs a Node.js of this machine: the app's own does not run other programs, on purpose.
 */
#define UNICODE
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

/* The longest command line of Windows, with its end. */
#define LONGEST 32768

static wchar_t folder[LONGEST];
static wchar_t node[LONGEST];
static wchar_t line[LONGEST];

static int refuse(const char *text) {
  fputs(text, stderr);
  return 2;
}

/* What follows the name of the program, exactly as it was given. */
static const wchar_t *arguments(const wchar_t *given) {
  if (*given == L'"') {
    do given++;
    while (*given != L'\0' && *given != L'"');
    if (*given == L'"') given++;
  } else {
    while (*given > L' ') given++;
  }
  while (*given == L' ' || *given == L'\t') given++;
  return given;
}

static BOOL exists(const wchar_t *file) {
  DWORD found = GetFileAttributesW(file);
  return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

/* The folders of PATH alone: the current folder may hold anyone's node.exe. */
static BOOL findNode(void) {
  static wchar_t path[LONGEST];
  DWORD length = GetEnvironmentVariableW(L"PATH", path, LONGEST);
  if (length == 0 || length >= LONGEST) return FALSE;
  return SearchPathW(path, L"node.exe", NULL, LONGEST, node, NULL) != 0;
}

/* Node.js gets these too, and ends in its own time: its status is waited for. */
static BOOL WINAPI leaveToNode(DWORD signal) { return signal == CTRL_C_EVENT || signal == CTRL_BREAK_EVENT; }

static HANDLE passedOn(DWORD which) {
  HANDLE handle = GetStdHandle(which);
  SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  return handle;
}

int main(void) {
  STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION child;
  DWORD status = 2;
  int written;

  if (GetEnvironmentVariableW(L"DAILIES_NODE", node, LONGEST) > 0) {
    if (!exists(node))
      return refuse("The dailies command needs Node.js 22.19 or newer, and there is none at DAILIES_NODE.\n"
                    "Set DAILIES_NODE to the full path of a node.exe, or remove it to use the one on the PATH.\n");
  } else if (!findNode()) {
    return refuse("The dailies command needs Node.js 22.19 or newer, and found none on the PATH.\n"
                  "Install it from nodejs.org or with: winget install OpenJS.NodeJS.LTS, or set DAILIES_NODE to its full "
                  "path.\n");
  }

  GetModuleFileNameW(NULL, folder, LONGEST);
  *wcsrchr(folder, L'\\') = L'\0';
  written = _snwprintf(line, LONGEST, L"\"%ls\" \"%ls\\..\\app.asar.unpacked\\cli\\out\\main\\cli.js\" %ls", node, folder,
                       arguments(GetCommandLineW()));
  if (written < 0 || written >= LONGEST) return refuse("This command line is too long for Windows. Make it shorter.\n");

  start.hStdInput = passedOn(STD_INPUT_HANDLE);
  start.hStdOutput = passedOn(STD_OUTPUT_HANDLE);
  start.hStdError = passedOn(STD_ERROR_HANDLE);
  SetConsoleCtrlHandler(leaveToNode, TRUE);
  if (!CreateProcessW(node, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child))
    return refuse("Node.js could not be started. Set DAILIES_NODE to the full path of a node.exe that can.\n");
  WaitForSingleObject(child.hProcess, INFINITE);
  GetExitCodeProcess(child.hProcess, &status);
  return (int)status;
}
