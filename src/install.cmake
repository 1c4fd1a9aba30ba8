# What `cmake --install build/release` puts where, beside the program in bin (src/cli): what it reads at run time in
# share/minimind, the documentation in share/doc/minimind.
foreach(folder labs/data lessons)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
    get_filename_component(parent ${folder} DIRECTORY)
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/minimind/${parent})
  endif()
endforeach()
# The source is read at run time, too: lessons and the stepper show the code that runs.
install(DIRECTORY src labs DESTINATION ${CMAKE_INSTALL_DATADIR}/minimind
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp")
foreach(file README.md LICENSE)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endif()
endforeach()
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
