; Offers Dailies under "Open with" for shot lists. It does not become the program that opens them: spreadsheets keep theirs.

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
!macroend

!macro customUnInstall
  !insertmacro dailiesOfferNoMore ".csv"
  !insertmacro dailiesOfferNoMore ".tsv"
  !insertmacro dailiesOfferNoMore ".xlsx"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Dailies.ShotList"
!macroend
