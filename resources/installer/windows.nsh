; Offers Dailies under "Open with" for shot lists, and in the menu of every folder, which may be a project. It does not
; become the program that opens them: spreadsheets and folders keep theirs.

!macro dailiesOffer EXTENSION
  WriteRegStr SHELL_CONTEXT "Software\Classes\${EXTENSION}\OpenWithProgids" "Dailies.ShotList" ""
!macroend

!macro dailiesOfferNoMore EXTENSION
  DeleteRegValue SHELL_CONTEXT "Software\Classes\${EXTENSION}\OpenWithProgids" "Dailies.ShotList"
!macroend

!macro customInstall
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
  !insertmacro dailiesOfferNoMore ".csv"
  !insertmacro dailiesOfferNoMore ".tsv"
  !insertmacro dailiesOfferNoMore ".xlsx"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Dailies.ShotList"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Directory\shell\Dailies"
!macroend
