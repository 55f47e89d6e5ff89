// Drawings that are whole, cut off, and not there.
#include "experiments/plot/drawing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace verbena::experiments {
namespace {

using Texts = std::vector<std::string>;

class DrawingTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string stem(const std::string& name) const { return directory_ + "/" + name; }

  void draw(const std::string& name, const std::string& svg) const {
    std::ofstream(stem(name) + ".svg") << svg;
    std::ofstream(stem(name) + ".png") << "a picture";
  }

  bool is_there(const std::string& name, const char* suffix) const {
    return std::filesystem::exists(stem(name) + suffix);
  }

  const std::string directory_ = ::testing::TempDir() + "drawings";
};

TEST_F(DrawingTest, IsReadAsItIs) {
  draw("whole", "<svg><g/></svg>\r\n \n");
  EXPECT_EQ(read_drawing(stem("whole")), "<svg><g/></svg>\r\n \n");
  EXPECT_TRUE(is_there("whole", ".png"));
}

TEST_F(DrawingTest, ThatIsNotThereIsEmpty) { EXPECT_EQ(read_drawing(stem("none")), ""); }

TEST_F(DrawingTest, ThatIsCutOffIsRemovedWithItsPicture) {
  for (const char* piece : {"", "\n", "<svg><g/></sv", "<svg></svg><svg>", "<svg/>"}) {
    draw("piece", piece);
    EXPECT_EQ(read_drawing(stem("piece")), std::nullopt) << piece;
    EXPECT_FALSE(is_there("piece", ".svg"));
    EXPECT_FALSE(is_there("piece", ".png"));
  }
}

TEST_F(DrawingTest, OfSeveralThoseThatAreCutOffAreToldOf) {
  draw("one", "<svg>1</svg>");
  draw("two", "<svg>");
  draw("three", "<svg>3</svg>");
  Texts told;
  const Texts drawings =
      read_drawings({stem("one"), stem("two"), stem("none"), stem("three")},
                    [&](const std::string& sentence) { told.push_back(sentence); });
  EXPECT_EQ(drawings, (Texts{"<svg>1</svg>", "", "", "<svg>3</svg>"}));
  EXPECT_EQ(told, Texts{"plot failed: " + stem("two") + ".svg: writing failed"});
}

TEST_F(DrawingTest, IsRemovedWhateverIsThereOfIt) {
  draw("one", "<svg>");
  std::filesystem::remove(stem("one") + ".svg");
  EXPECT_TRUE(has_drawing(stem("one")));
  EXPECT_TRUE(remove_drawing(stem("one")));
  EXPECT_FALSE(is_there("one", ".png"));
  EXPECT_FALSE(has_drawing(stem("one")));
  EXPECT_FALSE(remove_drawing(stem("one")));
}

}  // namespace
}  // namespace verbena::experiments
