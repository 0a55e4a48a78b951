# Part of making the archive of the sources (python -m build --sdist): the headers of small libraries that PyPI does not
# have go into third_party/ of the archive, from the machine that makes it. An unpacked archive has them already.
set(third_party ${PROJECT_SOURCE_DIR}/third_party)
foreach(entry "fmt|fmt/format.h|libfmt-dev" "nlohmann|nlohmann/json.hpp|nlohmann-json3-dev"
        "CLI|CLI/CLI.hpp|libcli11-dev"
        "toml++|toml++/toml.h|libtomlplusplus-dev" "sqlite3.h|sqlite3.h|libsqlite3-dev")
  string(REPLACE "|" ";" entry "${entry}")
  list(GET entry 0 what)
  list(GET entry 1 header)
  list(GET entry 2 package)
  if(EXISTS ${third_party}/${header})
    continue()
  endif()
  find_path(folder_of_${package} ${header})
  if(NOT folder_of_${package})
    message(FATAL_ERROR "the archive of the sources holds ${header}, which is not here: install ${package}")
  endif()
  file(COPY ${folder_of_${package}}/${what} DESTINATION ${third_party})
  if(EXISTS /usr/share/doc/${package}/copyright)
    configure_file(/usr/share/doc/${package}/copyright ${third_party}/licenses/${package} COPYONLY)
  endif()
endforeach()
