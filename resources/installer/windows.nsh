; Offers Dailies under "Open with" for shot lists, and in the menu of every folder, which may be a project, and puts its
; command on the PATH. It does not become the program that opens lists: spreadsheets and folders keep theirs.

!macro dailiesOffer EXTENSION
  WriteRegStr SHELL_CONTEXT "Software\Classes\${EXTENSION}\OpenWithProgids" "Dailies.ShotList" ""
!macroend

!macro dailiesOfferNoMore EXTENSION
  DeleteRegValue SHELL_CONTEXT "Software\Classes\${EXTENSION}\OpenWithProgids" "Dailies.ShotList"
!macroend

!include WordFunc.nsh

; The folder of the command, at the end of this account's PATH, where it hides nothing. This installer cuts a text that is
; too long for it, and reads such a PATH as an empty one: it is left alone, and RegGetValue tells it from none.
!macro dailiesPath SIGN
  System::Call 'advapi32::RegGetValueW(p 0x80000001, w "Environment", w "Path", i 0x10000006, p 0, p 0, p 0) i .r0'
  ReadRegStr $1 HKCU "Environment" "Path"
  StrLen $2 "$1;$INSTDIR\resources\bin"
  IntOp $2 $2 + 1
  ${If} $0 = 2
  ${OrIf} $1 != ""
  ${AndIf} $2 < ${NSIS_MAX_STRLEN}
    ${WordAdd} "$1" ";" "${SIGN}$INSTDIR\resources\bin" $1
    WriteRegExpandStr HKCU "Environment" "Path" "$1"
    ${If} $1 == ""
      DeleteRegValue HKCU "Environment" "Path"
    ${EndIf}
    ; For terminals that are opened from now on.
    SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=5000
  ${EndIf}
!macroend

!macro customInstall
  !insertmacro dailiesPath "+"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Dailies.ShotList" "" "Shot list"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Dailies.ShotList\shell\open" "FriendlyAppName" "${PRODUCT_NAME}"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Dailies.ShotList\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  !insertmacro dailiesOffer ".csv"
  !insertmacro dailiesOffer ".tsv"
  !insertmacro dailiesOffer ".xlsx"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Directory\shell\Dailies" "" "Open in ${PRODUCT_NAME}"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Directory\shell\Dailies" "Icon" "$INSTDIR\${APP_EXECUTABLE_FILENAME}"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Directory\shell\Dailies\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%V"'
!macroend

!macro customUnInstall
  ; An update removes the version before: the place in the PATH stays.
  ${IfNot} ${isUpdated}
    !insertmacro dailiesPath "-"
  ${EndIf}
  !insertmacro dailiesOfferNoMore ".csv"
  !insertmacro dailiesOfferNoMore ".tsv"
  !insertmacro dailiesOfferNoMore ".xlsx"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Dailies.ShotList"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Directory\shell\Dailies"
!macroend
