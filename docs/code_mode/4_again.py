await meetings_in("Asia/Tokyo")
