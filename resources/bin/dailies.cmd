@echo off
rem The `dailies` command of the installed desktop app. It needs a Node.js of this machine: the app's own does not run
rem other programs, on purpose.
setlocal
set "node=%DAILIES_NODE%"
rem Windows looks for a bare name in the current folder first, where anyone may have put a node.exe.
if not defined node for %%I in (node.exe) do set "node=%%~$PATH:I"
if not defined node (
  echo The dailies command needs Node.js 22.19 or newer, and found none on the PATH. 1>&2
  echo Install it from nodejs.org or with: winget install OpenJS.NodeJS.LTS, or set DAILIES_NODE to its full path. 1>&2
  exit /b 2
)
if not exist "%node%" (
  echo The dailies command needs Node.js 22.19 or newer, and there is none at DAILIES_NODE: %node% 1>&2
  echo Set DAILIES_NODE to the full path of a node.exe, or remove it to use the one on the PATH. 1>&2
  exit /b 2
)
"%node%" "%~dp0..\app.asar.unpacked\cli\out\main\cli.js" %*
exit /b %errorlevel%
