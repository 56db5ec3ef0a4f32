@echo off
rem The `dailies` command of the installed desktop app. It needs a Node.js of this machine: the app's own does not run
rem other programs, on purpose.
setlocal
set "node=%DAILIES_NODE%"
if not defined node set "node=node"
where /q "%node%" 2>nul || if not exist "%node%" (
  echo The dailies command needs Node.js 22.19 or newer, and found none ^(looked for: %node%^). 1>&2
  echo Install it from nodejs.org or with: winget install OpenJS.NodeJS.LTS, or name one in DAILIES_NODE. 1>&2
  exit /b 2
)
"%node%" "%~dp0..\app.asar.unpacked\cli\out\main\cli.js" %*
exit /b %errorlevel%
